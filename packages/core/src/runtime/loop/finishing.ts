// Ends a search: gives back its leases, cancels its requests, logs and tells exit and answer, and its cost once all is answered.

import type { Exit, ExitKind } from '../../log/end.ts';
import { exitedEvent } from '../../log/events.ts';
import type { GuessTotals } from '../../log/guesses.ts';
import { completeBest } from '../../program/growth.ts';
import { type Audit, auditOf } from '../../tree/readings/audit.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';
import { nothingLeft } from './exits.ts';

export function finish(parts: RuntimeParts, search: Search, meant: Exit, nowMs: number): void {
  if (!search.hasLog) return remove(parts, search);
  const exit = search.exitFor(meant);
  const { options, strands, seeder, flights, speculation, guesses, logs } = parts;
  seeder.plant(search);
  if (exit.kind === 'accepted') completeBest(search.tree);
  for (const strand of [...search.tree.strands.keys()]) strands.close(search, strand, 'ended');
  seeder.ended(search);
  const guessed = guessedBy(search);
  guesses.ended(search.speculation.guesses.byRank);
  speculation.shrink(search, 0, nowMs);
  for (const flight of [...search.flights.values()]) flights.cancel(flight);
  search.ledger.discarded(search.drawn.takeAll());
  const { admittedMs } = search;
  const saysSomething = exit.kind !== 'cancelled' && exit.kind !== 'failed' && admittedMs !== undefined;
  remove(parts, search, saysSomething ? nowMs - admittedMs : undefined);
  const result = search.result(exit, nowMs);
  const { answer, cost } = result;
  logs.add(search, exitedEvent(result.exit, cost, answer, { ...guessed, ...auditBy(parts, search, exit) }));
  parts.searches.unsettled.add(search);
  options.onEnd?.(result);
}

export function endBroken(parts: RuntimeParts, nowMs: number): void {
  const { searches, logs } = parts;
  for (const search of searches.broken) {
    if (search.hasLog) finish(parts, search, nothingLeft(search), nowMs);
    else logs.want(search);
  }
}

/** Removes a search without a word in its log. `servedMs`: only where its length says something about the work. */
export function remove({ searches, queue, options }: RuntimeParts, search: Search, servedMs?: number): void {
  queue.remove(search, searches.running.has(search.id), servedMs);
  searches.remove(search);
  options.engine.release(search.id);
  options.verifier?.release(search.id);
}

export function settle(parts: RuntimeParts): void {
  for (const search of parts.searches.unsettled) {
    if (search.unanswered > 0) continue;
    parts.searches.unsettled.delete(search);
    const cost = search.cost();
    parts.logs.add(search, { type: 'cost', cost });
    parts.options.onCost?.(search.id, cost);
  }
}

/** Ends that the judge has no say in, or little: a vote that it has ended agrees with it. */
const ownEnds: readonly ExitKind[] = ['settled', 'exhausted', 'deadline'];

function auditBy({ options }: RuntimeParts, { request, tree }: Search, { kind }: Exit): { readonly audit?: Audit } {
  const { verifier, judge } = options;
  const isJudged = verifier && !verifier.capabilities.readsLogprobs && request.program.paths?.drawnWhole;
  const audit = isJudged && ownEnds.includes(kind) ? auditOf(tree) : undefined;
  return audit === undefined ? {} : { audit: { ...audit, ...(judge !== undefined && { judge }) } };
}

function guessedBy({ speculation }: Search): { readonly guesses?: GuessTotals } {
  const { total, byDistance, byDepth } = speculation.guesses;
  if (total.guessed === 0) return {};
  return { guesses: { byDistance: structuredClone(byDistance), byDepth: structuredClone(byDepth) } };
}
