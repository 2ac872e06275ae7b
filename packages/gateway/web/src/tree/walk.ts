// Walks through a tree by keys: up to the most visited child, as the tree grows up, down to the parent, left and right to the neighbour on
// the same level, in other families too. Pure.

import type { SearchFold } from '@coppice/core/log';
import type { Node, NodeId } from '@coppice/core/tree';
import type { Scene } from './scene.ts';
import { keyOfNode } from './sprout.ts';

/** Undefined if the key leads nowhere. */
export function walk(moment: SearchFold, scene: Scene, selected: NodeId | undefined, key: string): Node | undefined {
  const { tree } = moment;
  if (tree === undefined) return undefined;
  if (key === 'Home') return tree.root;
  if (key === 'End') return moment.chosen;
  if (!key.startsWith('Arrow')) return undefined;
  const here = selected === undefined ? undefined : tree.nodes[selected];
  if (here === undefined) return tree.root;
  if (key === 'ArrowDown') return here.parent;
  if (key === 'ArrowUp') return here.children.toSorted((a, b) => b.visits - a.visits || b.score - a.score)[0];
  return neighbour(scene, here, key === 'ArrowLeft' ? -1 : 1);
}

function neighbour(scene: Scene, here: Node, side: -1 | 1): Node | undefined {
  const x = scene.at(keyOfNode(here))?.sprout.x ?? 0;
  let next: { node: Node; x: number } | undefined;
  for (const { sprout } of scene.sprouts) {
    if (sprout.kind !== 'node' || sprout.depth !== here.depth || (sprout.x - x) * side <= 0) continue;
    if (next === undefined || (next.x - sprout.x) * side > 0) next = { node: sprout.node, x: sprout.x };
  }
  return next?.node;
}
