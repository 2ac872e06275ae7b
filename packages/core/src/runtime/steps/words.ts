// The words of a manner: what stands behind a path before the model goes on. Names in braces are filled in from the nodes that the manner
// calls its sources, so that the log of an ask has no text of a model in it. Pure.

import { answerText, type Node, pathTo } from '../../tree/node.ts';
import type { Manner } from '../../tree/step.ts';
import type { Tree } from '../../tree/tree.ts';

const fillings = {
  attempts: (sources: readonly Node[]) =>
    sources.map((node, at) => `Attempt ${at + 1}:\n${answerText(node).trim()}`).join('\n\n'),
  feedback: ([first]: readonly Node[]) =>
    first?.feedback ?? `It was judged to be worth ${(first?.reward ?? 0).toFixed(2)} of 1.`,
  turn: ([first]: readonly Node[]) => (first?.step?.text ?? '').slice(0, mostShown).toWellFormed(),
} as const;

/** Characters of a turn that a repair is shown. */
const mostShown = 4000;

export function wordsOf(tree: Tree, node: Node, manner: Manner): string {
  const { sources, suffix, byUser } = manner;
  if (sources === undefined) return suffix ?? '';
  const known = sourcesOf(tree, node, manner).filter((each) => each !== undefined);
  // Earlier logs have draws in flight that name sources and no suffix.
  const words = suffix ?? (byUser ? '{feedback}' : '{attempts}\n\n');
  return words.replace(/\{(attempts|feedback|turn)\}/g, (_, name: keyof typeof fillings) => fillings[name](known));
}

/** From the tree or, for a foreseen draw, its own path; undefined for a ghost elsewhere. */
export function sourcesOf(tree: Tree, node: Node, { sources = [] }: Manner): (Node | undefined)[] {
  return sources.map((key) => tree.nodeOf(key) ?? pathTo(node).find((each) => each.key === key));
}
