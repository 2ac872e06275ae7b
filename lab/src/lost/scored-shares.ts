// Algorithm 1's shares by other scores than the product's: another β, the predictor of long searches (λ), and ρ of paths that still
// grow. None of them distinguished searches better (lab/docs/experiments/p0.md).

import { proximity, seniority, shareWidths } from '@coppice/core/scheduler';
import { defineWidths, type RunningSearch, type Tree } from 'coppice';
import { expectedShare } from './predictor.ts';

interface LostScore {
  /** β: what being on the verge of acceptance is worth, in units of log seconds. */
  readonly beta: number;
  /** λ: what being likely to run long is worth, in the same units; 0 turns the predictor off. */
  readonly lambda: number;
  /** Whose best score ρ reads: that of the paths that are completed, or of those that still grow. */
  readonly progress: 'completed' | 'open';
}

export function lostScore(search: RunningSearch, nowMs: number, { beta, lambda, progress }: LostScore): number {
  const reached = progress === 'open' ? openProgress(search) : search.progress;
  const urgency = reached > proximity ? beta : 0;
  return seniority(search.arrivalMs, nowMs) + urgency + (lambda === 0 ? 0 : lambda * expectedShare(search));
}

function openProgress({ tree, threshold = 1 }: RunningSearch): number {
  return tree === undefined ? 0 : bestOpenScore(tree) / threshold;
}

/** 0 before the first scored step. */
export function bestOpenScore(tree: Tree): number {
  let best = 0;
  for (const { terminal, children, reward, score } of tree.nodes) {
    if (!terminal && children.length === 0 && reward !== undefined && score > best) best = score;
  }
  return best;
}

export const scoredShares = defineWidths({
  name: 'shares',
  summary: 'all that is idle, by a score that can be turned',
  options: {
    beta: { default: 2, low: 0, high: 1000, unit: 'log seconds', why: "β of P0 §4.4; the product's own" },
    lambda: { default: 0, low: 0, high: 1000, unit: 'log seconds', why: '0 turns the predictor off' },
    progress: { default: 'completed', values: ['completed', 'open'], unit: 'paths', why: "the product's own" },
    lostGate: { default: 1, low: 0, high: 1_000_000, whole: true, unit: 'completed rollouts', why: 'that of boost' },
  },
  make: ({ lostGate: gate, ...score }) =>
    shareWidths({ gate, score: (search, nowMs) => lostScore(search, nowMs, score) }),
});
