// The tree of a real model's search in few bytes: for each node its parent, the tokens and the reward of its step, the number of its draws,
// and at an end the answer and whether it is right. Texts are left out.

import type { Node, Tree } from 'coppice';

/** Parent, tokens, reward in thousandths (−1: none), draws; an end also has the answer, and 1 if it is right. */
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
