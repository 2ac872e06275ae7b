// Finds the best path through a node: down to the best-scored end below it, or, if no path below it has ended, to the best-scored child
// again and again. Pure.

import type { Node } from '@coppice/core/tree';

/** The end of that path; the node itself if nothing grows below it. */
export function bestThrough(node: Node): Node {
  const open = [node];
  let best: Node | undefined;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.terminal && (best === undefined || at.score > best.score)) best = at;
    open.push(...at.children);
  }
  return best ?? deepest(node);
}

function deepest(node: Node): Node {
  let at = node;
  while (at.children.length > 0) at = at.children.reduce((best, child) => (child.score > best.score ? child : best));
  return at;
}
