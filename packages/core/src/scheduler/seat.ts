// A search that will run, as the few numbers that its width depends on: the parts of a decision share it.

import type { RunningSearch, SearchId, WaitingSearch } from './scheduler.ts';

export interface Seat {
  readonly id: SearchId;
  /** Strands it gets before any search is boosted: its program's natural width, as far as it can use it. */
  readonly base: number;
  /** Most strands it could use; at least `base`. */
  readonly cap: number;
  readonly open: number;
  readonly speculate?: number | undefined;
  /** Undefined for a search that is only now admitted: it has shown nothing yet. */
  readonly running: RunningSearch | undefined;
}

/** A search wider than the whole budget runs alone, as wide as the budget; one that comes to its end leaves room for others. */
export function naturalSeats(search: WaitingSearch | RunningSearch, budget: number): number {
  const left = 'rolloutsLeft' in search ? Math.max(1, search.rolloutsLeft) : search.naturalWidth;
  return Math.min(search.naturalWidth, left, budget);
}

export function seatRunning(running: RunningSearch, budget: number): Seat {
  const usable = Math.max(1, Math.min(running.demand, budget));
  const base = Math.min(naturalSeats(running, budget), usable);
  return { id: running.id, base, cap: usable, open: running.openStrands, speculate: running.speculate, running };
}

export function seatAdmitted(waiting: WaitingSearch, budget: number): Seat {
  const base = naturalSeats(waiting, budget);
  return { id: waiting.id, base, cap: base, open: 0, speculate: waiting.speculate, running: undefined };
}
