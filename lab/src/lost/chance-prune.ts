// The probabilistic prune rule of P0 §4.1, on the threshold: an open strand ends when it is unlikely to reach it. It saved tokens but
// lost accuracy on held-out questions (lab/docs/experiments/p0.md).

import { readable, requireBound } from '@coppice/core/exit';
import { definePrune, type PruneRule } from 'coppice';
import { chanceToReach, experience } from './chance.ts';

/** `epsilon`: chance of reaching the threshold below which a strand ends. */
export function pruneChance(epsilon: number): PruneRule {
  return {
    name: 'chance',
    needsBound: true,
    judge({ tree, limits: { threshold } }) {
      requireBound('chance', tree.aggregation);
      if (tree.best?.reward === undefined) return undefined;
      const past = experience(tree, threshold);
      return ({ depth, score }) => {
        const stepsToCome = Math.max(1, Math.round(past.meanDepth - depth));
        const chance = chanceToReach(tree.aggregation, score, threshold, stepsToCome, past);
        if (chance >= epsilon) return undefined;
        return { score: readable(score), threshold, stepsToCome, chance: readable(chance), epsilon };
      };
    },
  };
}

export const chancePrune = definePrune({
  name: 'chance',
  summary: 'the path is unlikely to reach the threshold (P0 §4.1)',
  options: {
    chancePrune: {
      default: 0,
      low: 0,
      high: 1,
      unit: 'probability',
      why: 'a strand less likely than this to reach the threshold is ended; 0 ends none',
    },
  },
  make: (options) => pruneChance(options.chancePrune),
});
