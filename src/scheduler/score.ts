// The parallelism degree score of P0 §4.4: S = log(1 + Δt) + β·I(ρ > 0.9), Δt in seconds since arrival, ρ the best score
// over the threshold; and, where wanted, λ times the predictor's view of how much is still to come.

import type { Tree } from '../tree/tree.ts';
import { expectedShare } from './predictor.ts';
import type { RunningSearch } from './scheduler.ts';

/** τ of §4.4, the 90% proximity rule. */
const proximity = 0.9;

export const progressReadings = ['completed', 'open'] as const;
/** Whose best score ρ reads: that of the paths that are completed, or of those that still grow. P0 can be read both ways. */
export type ProgressReading = (typeof progressReadings)[number];

export interface ScoreOptions {
  /** β: what being on the verge of acceptance is worth, in units of log seconds. */
  readonly beta: number;
  /** λ: what being likely to run long is worth, in the same units; 0 turns the predictor off. */
  readonly lambda: number;
  readonly progress: ProgressReading;
}

export function degreeScore(search: RunningSearch, nowMs: number, options: ScoreOptions): number {
  const { beta, lambda, progress } = options;
  const elapsedSeconds = Math.max(0, nowMs - search.arrivalMs) / 1000;
  const seniority = Math.log(1 + elapsedSeconds);
  const reached = progress === 'open' ? search.openProgress : search.progress;
  const urgency = reached > proximity ? beta : 0;
  return seniority + urgency + (lambda === 0 ? 0 : lambda * expectedShare(search));
}

/** The fact that the reading `open` needs, for whoever makes the snapshot: 0 before the first step that was scored. */
export function bestOpenScore(tree: Tree): number {
  let best = 0;
  for (const { terminal, children, reward, score } of tree.nodes) {
    if (!terminal && children.length === 0 && reward !== undefined && score > best) best = score;
  }
  return best;
}
