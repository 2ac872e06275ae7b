// Ends a search: gives back its leases, cancels its requests, logs and tells exit and answer, and its cost once all is answered.

import type { Exit } from '../../log/end.ts';
import { exitedEvent } from '../../log/events.ts';
import type { GuessTotals } from '../../log/guesses.ts';
import { completeBest } from '../../program/growth.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';
import { nothingLeft } from './exits.ts';

export class Finishing {
  readonly #parts: RuntimeParts;
  readonly #unsettled = new Set<Search>();

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  finish(search: Search, meant: Exit, nowMs: number): void {
    if (!search.hasLog) return this.remove(search);
    const exit = search.exitFor(meant);
    const { options, strands, seeder, flights, speculation, guesses, logs } = this.#parts;
    seeder.plant(search);
    if (exit.kind === 'accepted') completeBest(search.tree);
    strands.closeAll(search);
    seeder.ended(search);
    const guessed = guessedBy(search);
    guesses.ended(search.speculation.guesses.byRank);
    speculation.shrink(search, 0, nowMs);
    for (const flight of [...search.flights.values()]) flights.cancel(flight);
    const { admittedMs } = search;
    const saysSomething = exit.kind !== 'cancelled' && exit.kind !== 'failed' && admittedMs !== undefined;
    this.remove(search, saysSomething ? nowMs - admittedMs : undefined);
    const result = search.result(exit, nowMs);
    const { answer, cost } = result;
    logs.add(search, exitedEvent(result.exit, cost, answer, guessed));
    this.#unsettled.add(search);
    options.onEnd?.(result);
  }

  endBroken(nowMs: number): void {
    const { searches, logs } = this.#parts;
    for (const search of searches.broken) {
      if (search.hasLog) this.finish(search, nothingLeft(search), nowMs);
      else logs.want(search);
    }
  }

  /** Removes a search without a word in its log. `servedMs`: only where its length says something about the work. */
  remove(search: Search, servedMs?: number): void {
    const { searches, queue, options } = this.#parts;
    queue.remove(search, searches.running.has(search.id), servedMs);
    searches.remove(search);
    options.engine.release(search.id);
    options.verifier?.release(search.id);
  }

  settle(): void {
    for (const search of this.#unsettled) {
      if (search.unanswered > 0) continue;
      this.#unsettled.delete(search);
      const cost = search.cost();
      this.#parts.logs.add(search, { type: 'cost', cost });
      this.#parts.options.onCost?.(search.id, cost);
    }
  }
}

function guessedBy({ speculation }: Search): GuessTotals | undefined {
  const { total, byDistance, byDepth } = speculation.guesses;
  if (total.guessed === 0) return undefined;
  return { byDistance: structuredClone(byDistance), byDepth: structuredClone(byDepth) };
}
