// Who is let in, and in which order (Algorithm 1, phase 1). A search comes in when its natural width fits into what is
// left of the budget. The order is never jumped to fill a gap: a wide search that waits for room is not overtaken.

import type { WaitingSearch } from './scheduler.ts';
import { naturalSeats } from './seat.ts';

/**
 * Priority first, with ageing: one unit of priority is worth `ageingSeconds` of waiting. Both grow at the same pace for
 * all who wait, so the order between two searches never changes, and nobody is overtaken by a search that arrives more
 * than `ageingSeconds` times the difference in priority later. Equal ones keep the order of submission.
 */
export function inOrder(waiting: readonly WaitingSearch[], ageingSeconds: number): WaitingSearch[] {
  const turn = ({ arrivalMs, priority }: WaitingSearch) => arrivalMs / 1000 - priority * ageingSeconds;
  return [...waiting].sort((a, b) => turn(a) - turn(b));
}

/** The longest beginning of the queue that fits into `room` strands. */
export function admit(
  waiting: readonly WaitingSearch[],
  room: number,
  budget: number,
  ageingSeconds: number,
): WaitingSearch[] {
  if (room <= 0 || waiting.length === 0) return [];
  const admitted: WaitingSearch[] = [];
  let left = room;
  for (const search of inOrder(waiting, ageingSeconds)) {
    left -= naturalSeats(search, budget);
    if (left < 0) break;
    admitted.push(search);
  }
  return admitted;
}
