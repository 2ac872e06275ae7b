// Tells programs what has arrived, each search in its own order. Reads rules after each complete fold, clock rules at any moment.

import { pruningsOf } from '../../exit/prune/prune.ts';
import type { Outcome, ProbeOutcome } from '../../program/program.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Flight, Search } from '../search/search.ts';
import type { Deciding } from './deciding.ts';
import { clockExit, firstExit } from './exits.ts';
import type { Finishing } from './finishing.ts';

export class Telling {
  readonly #parts: RuntimeParts;
  readonly #deciding: Deciding;
  readonly #finishing: Finishing;

  constructor(parts: RuntimeParts, deciding: Deciding, finishing: Finishing) {
    this.#parts = parts;
    this.#deciding = deciding;
    this.#finishing = finishing;
  }

  tell(nowMs: number): void {
    const { flights, grouping, searches } = this.#parts;
    for (const { search, outcome, flight } of flights.takeArrivals()) {
      if (flight !== undefined) this.#land(flight);
      if (outcome.probe && flight?.lane === 'speculative') this.#overhear(flight, outcome);
      else if (searches.isRunning(search)) this.#tellAll(search, search.order.take(search.tree, outcome), nowMs);
    }
    for (const search of grouping.takeRead()) {
      if (searches.isRunning(search)) this.#tellAll(search, search.order.release(search.tree), nowMs);
    }
  }

  #land(flight: Flight): void {
    const { search, draw } = flight;
    if (search.flights.get(draw) === flight) search.flights.delete(draw);
    this.#parts.speculation.landed(flight);
  }

  #overhear(flight: Flight, outcome: ProbeOutcome): void {
    const { searches, speculation } = this.#parts;
    if (!searches.isRunning(flight.search)) return;
    speculation.keepReply(flight, outcome);
    searches.touch(flight.search);
    this.#deciding.noteTold();
  }

  #tellAll(search: Search, outcomes: Iterable<Outcome>, nowMs: number): void {
    const { searches, speculation } = this.#parts;
    for (const next of outcomes) {
      if (!searches.isRunning(search) || !this.#tellOne(search, next)) continue;
      this.#judge(search, nowMs);
      if (searches.isRunning(search)) speculation.giveUp(search);
    }
  }

  /** True after the last piece of an expansion or level, which is when rules are read. */
  #tellOne(search: Search, outcome: Outcome): boolean {
    const { options, searches } = this.#parts;
    searches.touch(search);
    this.#deciding.noteTold();
    const { tree, open, request } = search;
    const isComplete = request.program.tell(tree, open?.grouped(tree, outcome) ?? outcome);
    // Demand changes with whole expansions only.
    if (isComplete && request.rules.boost) searches.isStale = true;
    if (options.scheduler.order?.readsWork && search.hasGrown()) searches.isStale = true;
    return isComplete;
  }

  #judge(search: Search, nowMs: number): void {
    const { options, strands } = this.#parts;
    for (const rule of search.request.rules.prunes) {
      for (const pruning of pruningsOf(rule, search.view(nowMs))) strands.prune(search, pruning);
    }
    const exit = firstExit(search, nowMs, options);
    if (exit !== undefined) this.#finishing.finish(search, exit, nowMs);
  }

  /** Outcomes that came early are told first, so that the answer has them. */
  watchClock(nowMs: number): void {
    const { options, searches, logs } = this.#parts;
    for (const search of searches.touched) {
      if (!searches.isLive(search)) continue;
      if (!search.hasLog) {
        if (search.isOverdue(nowMs)) logs.want(search);
        continue;
      }
      const exit = clockExit(search, nowMs, options);
      if (exit === undefined) continue;
      for (const { id, node } of [...search.tree.strands.values()]) {
        for (const outcome of search.order.takeAll(id, node)) this.#tellOne(search, outcome);
      }
      this.#finishing.finish(search, exit, nowMs);
    }
  }
}
