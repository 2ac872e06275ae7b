// The different answers of a tree: for each, the completed path with the highest score, best first. Of equal scores the
// lower key goes first, so that the order does not depend on which path came earlier.

import { meaningOf } from '../../answer/groups.ts';
import { isComplete, type Node } from '../node.ts';
import type { Tree } from '../tree.ts';
import { isBetter } from '../upkeep.ts';

export function distinctAnswers({ nodes }: Pick<Tree, 'nodes'>): Node[] {
  const best = new Map<string, Node>();
  for (const node of nodes) {
    const key = meaningOf(node);
    if (key === undefined || !isComplete(node)) continue;
    const known = best.get(key);
    if (known === undefined || isBetter(node, known)) best.set(key, node);
  }
  return [...best.values()].sort((a, b) => b.score - a.score || a.key - b.key);
}
