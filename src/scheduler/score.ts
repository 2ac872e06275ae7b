// The parallelism degree score of P0 §4.4: S = log(1 + Δt) + β·I(ρ > 0.9), Δt in seconds since arrival, ρ the best score of a
// completed path over the threshold.

import type { RunningSearch } from './scheduler.ts';

/** τ of §4.4, the 90% proximity rule. */
export const proximity = 0.9;

/** β, no value given: being near acceptance counts as much as having waited e² = 7.4 times as long. */
const nearness = 2;

export function degreeScore({ arrivalMs, progress }: RunningSearch, nowMs: number): number {
  return seniority(arrivalMs, nowMs) + (progress > proximity ? nearness : 0);
}

export function seniority(arrivalMs: number, nowMs: number): number {
  return Math.log(1 + Math.max(0, nowMs - arrivalMs) / 1000);
}
