// Tells programs what has arrived, each search in its own order. Reads rules after each complete fold, clock rules at any moment.

import { pruningsOf } from '../../exit/prune.ts';
import type { Outcome, ProbeOutcome } from '../../program/program.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Flight, Search } from '../search/search.ts';
import { noteTold } from './deciding.ts';
import { clockExit, firstExit } from './exits.ts';
import { finish } from './finishing.ts';
import { price } from './pricing.ts';

export function tellPrograms(parts: RuntimeParts, nowMs: number): void {
  const { flights, grouping, searches } = parts;
  for (const { search, outcome, flight } of flights.takeArrivals()) {
    if (flight !== undefined) land(parts, flight);
    if (outcome.probe && flight?.lane === 'speculative') overhear(parts, flight, outcome);
    else if (searches.isRunning(search)) tellAll(parts, search, search.order.take(search.tree, outcome), nowMs);
  }
  for (const search of grouping.takeRead()) {
    if (searches.isRunning(search)) tellAll(parts, search, search.order.release(search.tree), nowMs);
  }
}

function land(parts: RuntimeParts, flight: Flight): void {
  const { search, draw } = flight;
  if (search.flights.get(draw) === flight) search.flights.delete(draw);
  parts.speculation.landed(flight);
}

function overhear(parts: RuntimeParts, flight: Flight, outcome: ProbeOutcome): void {
  const { searches, speculation } = parts;
  if (!searches.isRunning(flight.search)) return;
  speculation.keepReply(flight, outcome);
  searches.touch(flight.search);
  noteTold(parts);
}

function tellAll(parts: RuntimeParts, search: Search, outcomes: Iterable<Outcome>, nowMs: number): void {
  const { searches, speculation } = parts;
  for (const next of outcomes) {
    if (!searches.isRunning(search) || !tellOne(parts, search, next)) continue;
    price(parts, search, nowMs);
    judge(parts, search, nowMs);
    if (searches.isRunning(search)) speculation.giveUp(search);
  }
}

/** True after the last piece of an expansion or level, which is when rules are read. */
function tellOne(parts: RuntimeParts, search: Search, outcome: Outcome): boolean {
  const { options, searches } = parts;
  searches.touch(search);
  noteTold(parts);
  const { tree, open, request } = search;
  const isComplete = request.program.tell(tree, open?.grouped(tree, outcome) ?? outcome);
  // Demand changes with whole expansions only.
  if (isComplete && (request.rules.boost || request.limits.price !== undefined)) searches.isStale = true;
  if (options.scheduler.order?.readsWork && search.hasGrown()) searches.isStale = true;
  return isComplete;
}

function judge(parts: RuntimeParts, search: Search, nowMs: number): void {
  const { options, strands } = parts;
  for (const rule of search.request.rules.prunes) {
    for (const pruning of pruningsOf(rule, search.view(nowMs))) strands.prune(search, pruning);
  }
  const exit = firstExit(search, nowMs, options);
  if (exit !== undefined) finish(parts, search, exit, nowMs);
}

/** Outcomes that came early are told first, so that the answer has them. */
export function watchClock(parts: RuntimeParts, nowMs: number): void {
  const { options, searches, logs } = parts;
  for (const search of searches.touched) {
    if (!searches.isLive(search)) continue;
    if (!search.hasLog) {
      if (search.isOverdue(nowMs)) logs.want(search);
      continue;
    }
    const exit = clockExit(search, nowMs, options);
    if (exit === undefined) continue;
    for (const { id, node } of [...search.tree.strands.values()]) {
      for (const outcome of search.order.takeAll(id, node)) tellOne(parts, search, outcome);
    }
    finish(parts, search, exit, nowMs);
  }
}
