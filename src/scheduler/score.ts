// The parallelism degree score of P0 §4.4: S = log(1 + Δt) + β·I(ρ > 0.9), Δt in seconds since arrival, ρ the best
// completed score over the threshold; and, where wanted, λ times the predictor's view of how much is still to come.

import { expectedShare } from './predictor.ts';
import type { RunningSearch } from './scheduler.ts';

/** τ of §4.4, the 90% proximity rule. */
const proximity = 0.9;

export interface ScoreOptions {
  /** β: what being on the verge of acceptance is worth, in units of log seconds. */
  readonly beta: number;
  /** λ: what being likely to run long is worth, in the same units; 0 turns the predictor off. */
  readonly lambda: number;
}

export function degreeScore(search: RunningSearch, nowMs: number, { beta, lambda }: ScoreOptions): number {
  const elapsedSeconds = Math.max(0, nowMs - search.arrivalMs) / 1000;
  const seniority = Math.log(1 + elapsedSeconds);
  const urgency = search.progress > proximity ? beta : 0;
  return seniority + urgency + (lambda === 0 ? 0 : lambda * expectedShare(search));
}
