// The finished paths of a search, as P0's figure 6a and P4's Pass@N read them. Reads trees and changes nothing.

import type { Tree } from '@coppice/core/tree';

export interface FinishedPath {
  /** Reward of its first step. */
  readonly first: number;
  /** Of the whole path. */
  readonly score: number;
  readonly right: boolean;
  /** How often its last step was drawn. */
  readonly count: number;
}

/** Paths that end in an answer, in order of arrival. */
export function finishedPaths(tree: Pick<Tree, 'nodes'>, isRight: (answer: string) => boolean): FinishedPath[] {
  return tree.nodes.flatMap((end) => {
    if (!end.terminal || end.answer === undefined) return [];
    let first = end;
    while (first.depth > 1) first = first.parent!;
    return [{ first: first.reward ?? 0, score: end.score, right: isRight(end.answer), count: end.count }];
  });
}
