// A copy of a tree's nodes, on which a program can be run ahead: nothing done to the copy reaches the tree.

import type { Node } from './node.ts';

/** Parents come before their children, as in the tree: numbers stay what they are. */
export function copyNodes(nodes: readonly Node[]): Node[] {
  const copies: Node[] = [];
  for (const node of nodes) {
    const parent = node.parent && copies[node.parent.id];
    const inFlight = node.inFlight?.size ? new Map(node.inFlight) : undefined;
    const probes = node.probes && new Map(node.probes);
    copies.push({ ...node, parent, children: [], byIndex: undefined, inFlight, probes });
  }
  for (const { id, children, byIndex } of nodes) {
    const copy = copies[id]!;
    for (const child of children) copy.children.push(copies[child.id]!);
    if (byIndex === undefined) continue;
    copy.byIndex = new Map();
    for (const [index, child] of byIndex) copy.byIndex.set(index, copies[child.id]!);
  }
  return copies;
}
