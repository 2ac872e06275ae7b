// The tree of a search on a real model in few bytes: for each node its parent, the tokens and the reward of its step, how many draws it
// stands for, and at an end the answer and whether it is right. The texts stay behind.

import type { Node, Tree } from 'coppice';

/** Parent, tokens, reward in thousandths (−1: none), draws; at an end also the answer and 1 where it is right. */
export type KeptNode =
  | readonly [number, number, number, number]
  | readonly [number, number, number, number, string | null, 0 | 1];

export function keptTree(tree: Tree, isRight: (answer: string | undefined) => boolean): KeptNode[] {
  return tree.nodes.slice(1).map((node) => keptNode(node, isRight));
}

function keptNode(node: Node, isRight: (answer: string | undefined) => boolean): KeptNode {
  const { parent, step, reward, count, terminal, answer } = node;
  const scored = reward === undefined ? -1 : Math.round(reward * 1000);
  const inner = [parent?.id ?? 0, step?.tokens ?? 0, scored, count] as const;
  return terminal ? [...inner, answer ?? null, isRight(answer) ? 1 : 0] : inner;
}
