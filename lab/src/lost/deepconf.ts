// DeepConf online (Fu et al., arXiv 2508.15260 §3.2): the first samples run to their ends and warm the rule up; from then on a sample ends once a group
// of its tokens is less sure than the bound that keeps the share of the surest warm-up samples. It knows the model's sureness alone, never whether
// words are right; silent where the engine tells no likeliest tokens, and until enough samples have ended.

import { readable } from '@coppice/core/exit';
import { lowestGroup, sampleEnds, windowFor } from '@coppice/core/tree';
import type { PruneRule } from 'coppice';

interface DeepConfOptions {
  /** η: share of the warm-up samples that the bound keeps. */
  readonly keepConfident: number;
  /** Tokens of a group; 0 follows the length of the warm-up samples. */
  readonly confidentWindow: number;
  readonly confidentWarmup: number;
}

export function pruneConfidence({ keepConfident, confidentWindow, confidentWarmup }: DeepConfOptions): PruneRule {
  return {
    name: 'deepconf',
    readsConfidence: true,
    judge({ tree }) {
      const first = sampleEnds(tree, confidentWarmup);
      if (first.length < confidentWarmup) return undefined;
      const window = confidentWindow || windowFor(first);
      const lowest = first.flatMap((end) => lowestGroup(end, window, true) ?? []);
      if (lowest.length < confidentWarmup) return undefined;
      const bound = percentile(lowest, 1 - keepConfident);
      return (node) => {
        const confidence = lowestGroup(node, window, false);
        if (confidence === undefined || confidence >= bound) return undefined;
        return { confidence: readable(confidence), bound: readable(bound), window };
      };
    },
  };
}

/** Between two values by their distance, as the authors' NumPy does. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const [low, high] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  return low + (place - below) * (high - low);
}
