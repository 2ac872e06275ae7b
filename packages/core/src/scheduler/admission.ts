// Admission in the order of turns, and giving up (Algorithm 1, phase 1). A search comes in when its natural
// width fits into what is left of the budget. The order is never jumped to fill a gap: a wide search that waits for room
// is not overtaken.

import type { SearchId, WaitingSearch } from './scheduler.ts';
import { naturalSeats } from './seat.ts';
import { expectedWaitMs, type Pace, type TooLate, tooLate } from './turns/forecast.ts';

/** The lowest turn first; equal ones keep the order of submission. */
export function inOrder(waiting: readonly WaitingSearch[]): WaitingSearch[] {
  return [...waiting].sort((a, b) => a.turn - b.turn);
}

/** The longest beginning of the queue that fits into `room` strands. */
export function admit(queue: readonly WaitingSearch[], room: number, budget: number): WaitingSearch[] {
  const admitted: WaitingSearch[] = [];
  let left = room;
  for (const search of queue) {
    left -= naturalSeats(search, budget);
    if (left < 0) break;
    admitted.push(search);
  }
  return admitted;
}

interface Present {
  readonly nowMs: number;
  readonly budget: number;
  /** Natural widths of all who run, those just admitted included. */
  readonly seats: number;
  readonly pace: Pace | undefined;
}

/** Finds waiting searches that cannot be done in time; one that is given up delays none behind it. */
export function hopeless(
  queue: readonly WaitingSearch[],
  { nowMs, budget, seats, pace }: Present,
): Map<SearchId, TooLate> {
  const given = new Map<SearchId, TooLate>();
  if (pace === undefined) return given;
  let ahead = seats;
  for (const search of queue) {
    const own = naturalSeats(search, budget);
    const leftMs = (search.deadlineAtMs ?? Number.POSITIVE_INFINITY) - nowMs;
    const late = tooLate(leftMs, expectedWaitMs(ahead, own, budget, pace), pace);
    if (late === undefined) ahead += own;
    else given.set(search.id, late);
  }
  return given;
}
