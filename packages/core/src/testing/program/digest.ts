// A tree as plain data without references, for comparing two trees.

import type { Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';

export function digestTree(tree: Tree) {
  const strands = [...tree.strands.values()].map(({ id, node, awaiting, landed, sampling }) => {
    return { id, node: node.id, awaiting, landed: landed.map((each) => each.id), sampling };
  });
  const { aggregation, closed, failuresInARow, tokens, nextStrand } = tree;
  const counters = { aggregation, closed, failuresInARow, tokens, nextStrand, best: tree.best?.id };
  return { nodes: tree.nodes.map(digestNode), strands, ghosts: [...tree.ghosts], ...counters };
}

function digestNode(node: Node) {
  const { parent, children, byIndex, inFlight, ...rest } = node;
  return {
    ...rest,
    parent: parent?.id,
    children: children.map((child) => child.id),
    byIndex: [...(byIndex ?? [])].map(([index, child]) => [index, child.id]),
    inFlight: [...(inFlight ?? [])],
  };
}
