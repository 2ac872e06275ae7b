// The five ways in which rewards along a path become its score (P0 §3.4; `last` is the habit of best-of-n).

import { never } from '../base/assert.ts';

export const aggregations = ['product', 'minimum', 'sum', 'mean', 'last'] as const;
export type Aggregation = (typeof aggregations)[number];

/** The score of the empty path: neutral under its aggregation. */
export function rootScore(aggregation: Aggregation): number {
  return aggregation === 'sum' || aggregation === 'mean' ? 0 : 1;
}

/** The score of a path one step longer; `depth` is the depth of the new step, 1 for a child of the root. */
export function extendScore(aggregation: Aggregation, parentScore: number, depth: number, reward: number): number {
  switch (aggregation) {
    case 'product':
      return parentScore * reward;
    case 'minimum':
      return Math.min(parentScore, reward);
    case 'sum':
      return parentScore + reward;
    case 'mean':
      return parentScore + (reward - parentScore) / depth;
    case 'last':
      return reward;
    default:
      return never(aggregation, 'aggregation');
  }
}

/** A path's score bounds every continuation from above: the negative exit and the prune bound need it. */
export function isBound(aggregation: Aggregation): boolean {
  return aggregation === 'product' || aggregation === 'minimum';
}
