// How a search ends: what it holds goes back, what it has in flight is cancelled, its exit and answer are logged and told. Its
// account stays open until engine and verifier have answered for all that was cancelled. Why it ends is said in exits.ts.

import type { Engine } from '../engine/engine.ts';
import type { Exit } from '../log/end.ts';
import { exitedEvent, type SearchEvent } from '../log/events.ts';
import type { GuessTotals } from '../log/guesses.ts';
import { completeBest } from '../program/growth.ts';
import type { Verifier } from '../verifier/verifier.ts';
import { nothingLeft } from './exits.ts';
import type { Flights } from './flights.ts';
import type { RuntimeOptions } from './options.ts';
import type { GuessMeter } from './queue/guess-meter.ts';
import type { Queue } from './queue/queue.ts';
import type { Roster } from './roster.ts';
import type { Search } from './search/search.ts';
import type { Speculation } from './speculation.ts';
import type { Strands } from './strands.ts';

export interface DepartureOptions {
  readonly engine: Engine;
  readonly verifier: Verifier | undefined;
  readonly roster: Roster;
  readonly queue: Queue<Search>;
  readonly strands: Strands;
  readonly flights: Flights;
  readonly speculation: Speculation;
  readonly guesses: GuessMeter;
  readonly log: (search: Search, event: SearchEvent) => void;
  readonly wantLog: (search: Search) => void;
  readonly onEnd: RuntimeOptions['onEnd'] | undefined;
  readonly onCost: RuntimeOptions['onCost'] | undefined;
}

export class Departure {
  readonly #options: DepartureOptions;
  /** Searches that have ended, and of which engine or verifier still owe an answer. */
  readonly #unsettled = new Set<Search>();

  constructor(options: DepartureOptions) {
    this.#options = options;
  }

  finish(search: Search, meant: Exit, nowMs: number): void {
    if (search.log !== 'read') return this.remove(search);
    const exit = search.exitFor(meant);
    const { strands, flights, speculation, guesses, log, onEnd } = this.#options;
    if (exit.kind === 'accepted') completeBest(search.tree);
    strands.closeAll(search);
    const guessed = guessedBy(search);
    guesses.ended(search.guesses.byRank);
    speculation.shrink(search, 0, nowMs);
    for (const flight of [...search.flights.values()]) flights.cancel(flight);
    const saysNothing = exit.kind === 'cancelled' || exit.kind === 'failed' || search.admittedMs === undefined;
    this.remove(search, saysNothing ? undefined : nowMs - search.admittedMs!);
    const result = search.result(exit, nowMs);
    const { answer, cost } = result;
    log(search, exitedEvent(result.exit, cost, answer, guessed));
    this.#unsettled.add(search);
    onEnd?.(result);
  }

  /** Those a part of which threw. One from a former process is ended when its log has come: its end belongs there. */
  endBroken(nowMs: number): void {
    const { roster, wantLog } = this.#options;
    for (const search of roster.broken) {
      if (search.log === 'read') this.finish(search, nothingLeft(search.tree), nowMs);
      else wantLog(search);
    }
  }

  /** Takes a search away without a word; `servedMs` where how long it ran says something about the work. */
  remove(search: Search, servedMs?: number): void {
    const { roster, queue, engine, verifier } = this.#options;
    queue.remove(search, roster.running.has(search.id), servedMs);
    roster.remove(search);
    engine.release(search.id);
    verifier?.release(search.id);
  }

  /** Closes the accounts of those for whom all has been answered. */
  settle(): void {
    for (const search of this.#unsettled) {
      if (search.unanswered > 0) continue;
      this.#unsettled.delete(search);
      const cost = search.cost();
      this.#options.log(search, { type: 'cost', cost });
      this.#options.onCost?.(search.id, cost);
    }
  }
}

/** Nothing where nothing was guessed. Before what is open is taken back: it was not asked for. */
function guessedBy({ guesses: { total, byDistance, byDepth } }: Search): GuessTotals | undefined {
  if (total.guessed === 0) return undefined;
  return { byDistance: structuredClone(byDistance), byDepth: structuredClone(byDepth) };
}
