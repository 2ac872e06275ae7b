// The lower end of a one-sided 95 % interval (Student) for a node's mean value, from its visits, sum and sum of squares. People read it
// beside Q; selection never does: rollouts through one node share their beginning and are not independent, so the truth is below it more
// often than one time in twenty.

import type { Node } from '@coppice/core/tree';

/** One-sided 95 % quantiles of Student's t with 1 to 9 degrees of freedom. */
const quantiles = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833] as const;

/** Undefined before the second visit: one value has no spread. Scores are never below 0. */
export function lowerBound({ visits, value, squares }: Pick<Node, 'visits' | 'value' | 'squares'>): number | undefined {
  if (visits < 2) return undefined;
  const mean = value / visits;
  const variance = Math.max(0, squares - value * mean) / (visits - 1);
  return Math.max(0, mean - quantile(visits - 1) * Math.sqrt(variance / visits));
}

/** Beyond the table: first correction to the normal quantile, right to 0.003. */
function quantile(degrees: number): number {
  return quantiles[degrees - 1] ?? 1.645 + 1.524 / degrees;
}
