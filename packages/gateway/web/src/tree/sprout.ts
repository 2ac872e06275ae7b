// Lists the drawable parts of a tree, called sprouts: nodes, ghosts, and children in flight. A child keeps its key from its request on, so
// that it does not jump when it becomes a node. Pure.

import type { Ghost, Node, Tree } from '@coppice/core/tree';

export type Sprout = NodeSprout | GhostSprout | FlightSprout;

interface SproutPlace {
  readonly key: number;
  readonly parent: NodeSprout | undefined;
  readonly depth: number;
  readonly index: number;
  readonly children: Sprout[];
  /** Set by layout, in units of the smallest distance between neighbours. */
  x: number;
}

export interface NodeSprout extends SproutPlace {
  readonly kind: 'node';
  readonly node: Node;
}

export interface GhostSprout extends SproutPlace {
  readonly kind: 'ghost';
  readonly ghost: Ghost;
}

export interface FlightSprout extends SproutPlace {
  readonly kind: 'flight';
}

const mostChildren = 2 ** 20;

export function keyOf(parent: number, index: number): number {
  return parent * mostChildren + index + 1;
}

export function keyOfNode(node: Node): number {
  return node.parent === undefined ? 0 : keyOf(node.parent.id, node.index);
}

/** Parents before children; siblings in the order of their child index. */
export function sproutsOf(tree: Tree): Sprout[] {
  const ghosts = Map.groupBy(tree.ghosts.values(), ({ parentKey }) => parentKey);
  const root: NodeSprout = {
    kind: 'node',
    node: tree.root,
    key: 0,
    parent: undefined,
    depth: 0,
    index: 0,
    children: [],
    x: 0,
  };
  const all: Sprout[] = [root];
  for (let at = 0; at < all.length; at += 1) {
    const sprout = all[at]!;
    if (sprout.kind !== 'node') continue;
    addChildren(sprout, ghosts.get(sprout.node.key));
    for (const child of sprout.children) all.push(child);
  }
  return all;
}

function addChildren(parent: NodeSprout, ghosts: readonly Ghost[] | undefined): void {
  const { node, children } = parent;
  const place = (index: number) => {
    return { key: keyOf(node.id, index), parent, depth: parent.depth + 1, index, children: [], x: 0 };
  };
  for (const child of node.children) children.push({ kind: 'node', node: child, ...place(child.index) });
  for (const index of node.inFlight?.keys() ?? []) children.push({ kind: 'flight', ...place(index) });
  for (const ghost of ghosts ?? []) {
    if (!node.inFlight?.has(ghost.index)) children.push({ kind: 'ghost', ghost, ...place(ghost.index) });
  }
  children.sort((a, b) => a.index - b.index);
}
