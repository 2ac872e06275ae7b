// Facts that a tree shows of its model: how often it drew the same step again, how many of its lines were refused, how deep its paths were. Sums
// and one mean, so that searches of a model can be put together. Pure.

import { hasEnded } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';

/** `twins`: a sibling had the step already. `refused`: its reward is 0. `depth`: mean steps of a finished path; null where none has ended. */
export function shapeOf({ nodes }: Pick<Tree, 'nodes'>) {
  let [draws, twins, refused, ends, depths] = [0, 0, 0, 0, 0];
  for (const node of nodes) {
    if (node.parent === undefined) continue;
    draws += node.count;
    twins += node.count - 1;
    if (node.reward === 0) refused += node.count;
    if (!hasEnded(node)) continue;
    ends += node.count;
    depths += node.count * node.depth;
  }
  return { draws, twins, refused, depth: ends === 0 ? null : Math.round((10 * depths) / ends) / 10 };
}
