// Forecasts how long a search will wait, and whether its deadline can be kept. Used to refuse a search at
// once and to give up one that waits, so that under overload the budget goes to searches that can finish.

export interface Pace {
  readonly meanMs: number;
  readonly medianMs: number;
}

/** Little's law: a budget of M strands that are held for a mean time each frees M of them in that time. */
export function expectedWaitMs(seatsAhead: number, seats: number, budget: number, { meanMs }: Pace): number {
  return (missingSeats(seatsAhead, seats, budget) * meanMs) / budget;
}

/** Strands that have to come free before a search can start; one that is wider than the budget starts alone. */
export function missingSeats(seatsAhead: number, seats: number, budget: number): number {
  return Math.max(0, seatsAhead + Math.min(seats, budget) - budget);
}

export interface TooLate {
  readonly expectedWaitMs: number;
  readonly serviceMs: number;
  readonly leftMs: number;
}

/** Undefined where it can be done: the wait and a median service fit into what is left of the deadline. */
export function tooLate(leftMs: number, waitMs: number, { medianMs }: Pace): TooLate | undefined {
  if (waitMs + medianMs <= leftMs) return undefined;
  return { expectedWaitMs: Math.round(waitMs), serviceMs: Math.round(medianMs), leftMs: Math.round(leftMs) };
}
