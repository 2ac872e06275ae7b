// The different answers of a tree: for each, the completed path with the highest score, best first. Of equal scores the
// lower key goes first, so that the order does not depend on which path came earlier.

import { meaningOf } from '../../answer/groups.ts';
import { isComplete, type Node } from '../node.ts';
import type { Tree } from '../tree.ts';

export function distinctAnswers({ nodes }: Pick<Tree, 'nodes'>): Node[] {
  const best = new Map<string, Node>();
  for (const node of nodes) {
    const key = meaningOf(node);
    if (key === undefined || !isComplete(node)) continue;
    const known = best.get(key);
    if (known === undefined || inOrder(node, known) < 0) best.set(key, node);
  }
  return [...best.values()].sort(inOrder);
}

function inOrder(a: Node, b: Node): number {
  return b.score - a.score || a.key - b.key;
}
