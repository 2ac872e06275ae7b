// A node's mark. Shape carries what colour must not carry alone: a disc may still win, a ring cannot, a diamond is finished, a cross was cut.
// Pure.

import { isBound, isComplete, type Node, type Tree } from '@coppice/core/tree';

export type Mark = 'viable' | 'futile' | 'won' | 'lost' | 'unscored';

/** `won` and `lost` are finished paths at or below the threshold, those cut at a limit among the lost; without a bound a path may still rise, so it stays viable. */
export function markOf(node: Node, tree: Tree, threshold: number): Mark {
  if (isComplete(node) && node.reward === undefined) return 'unscored';
  if (node.terminal) return isComplete(node) && node.score >= threshold ? 'won' : 'lost';
  return isBound(tree.aggregation) && node.score < threshold ? 'futile' : 'viable';
}

export const markWords: Readonly<Record<Mark, string>> = {
  viable: 'viable: may still reach the threshold',
  futile: 'futile: below the threshold, and scores only fall',
  won: 'finished, at or above the threshold',
  lost: 'finished below the threshold, or cut at a limit',
  unscored: 'finished, and nothing has scored it',
};

/** The score of its path, if its step has been scored: the initial one means nothing. */
export function shownScoreOf({ score, reward }: Node): number | undefined {
  return reward === undefined ? undefined : score;
}
