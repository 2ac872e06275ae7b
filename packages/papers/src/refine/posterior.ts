// Posterior of the scores at a place, given its past ones, and one draw from it: as in AB-MCTS-A (arXiv 2503.04412 §3, with the
// authors' priors). Chance is an argument.

import type { Random } from '@coppice/core/base';
import type { ScoreSums } from '@coppice/core/tree';

export const posteriorNames = ['gaussian', 'beta'] as const;
export type PosteriorName = (typeof posteriorNames)[number];

/** Jeffreys' prior. */
const betaPrior = 0.5;
/** Normal-inverse-gamma prior: mean, weight of the mean, degrees of freedom, scale. */
const gaussianPrior = { mean: 0, weight: 1, freedom: 1, scale: 0.1 };

/** Draws a mean score for a place. */
export function drawMean(name: PosteriorName, scores: ScoreSums, random: Random): number {
  return name === 'beta' ? drawBeta(scores, random) : drawGaussian(scores, random);
}

function drawBeta({ count, sum }: ScoreSums, random: Random): number {
  return random.beta(betaPrior + sum, betaPrior + Math.max(0, count - sum));
}

function drawGaussian(scores: ScoreSums, random: Random): number {
  const { mean, weight, freedom, scale } = gaussianPosterior(scores);
  const variance = (freedom * scale) / 2 / random.gamma(freedom / 2);
  return random.normal(mean, Math.sqrt(variance / weight));
}

export function gaussianPosterior({ count, sum, squares }: ScoreSums): typeof gaussianPrior {
  const prior = gaussianPrior;
  if (count === 0) return prior;
  const seen = sum / count;
  const spread = Math.max(0, squares - count * seen * seen);
  const weight = prior.weight + count;
  const freedom = prior.freedom + count;
  const apart = (count * prior.weight * (prior.mean - seen) ** 2) / weight;
  return {
    mean: (prior.weight * prior.mean + sum) / weight,
    weight,
    freedom,
    scale: (prior.freedom * prior.scale + spread + apart) / freedom,
  };
}
