// Chooses a node's mark. Shapes show what colour must not show alone: a disc may still win, a ring cannot, a diamond is finished, a cross
// was cut. Pure.

import { isBound, isComplete, type Node, scoreOf, type Tree } from '@coppice/core/tree';

export type Mark = 'viable' | 'futile' | 'won' | 'lost' | 'scored' | 'unscored';

/**
 * `won` and `lost` are finished paths at or below the threshold; paths cut at a limit are lost. Without a bound a
 * path may still rise, so it stays viable. `threshold` is null if no score ends the search or accepts an answer.
 */
export function markOf(node: Node, tree: Tree, threshold: number | null): Mark {
  const score = shownScoreOf(node);
  if (isComplete(node) && score === undefined) return 'unscored';
  if (isComplete(node) && threshold === null) return 'scored';
  if (node.terminal) return isComplete(node) && score! >= threshold! ? 'won' : 'lost';
  return isBound(tree.aggregation) && node.score < (threshold ?? 0) ? 'futile' : 'viable';
}

export const markWords: Readonly<Record<Mark, string>> = {
  viable: 'viable: may still become the answer',
  futile: 'futile: below the threshold, and scores only fall',
  won: 'finished, at or above the threshold',
  lost: 'finished below the threshold, or cut at a limit',
  scored: 'finished and scored',
  unscored: 'finished, and nothing has scored it',
};

/** The score of its path, if its step was scored or its end was read; the initial score means nothing. */
export function shownScoreOf(node: Node): number | undefined {
  return node.reward === undefined ? scoreOf(node) : node.score;
}
