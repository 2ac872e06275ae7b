// Which answer a tree gives, at any time: that of the completed path with the highest score, or the one that the completed
// paths together speak for. Before a path is completed, the best beginning of one.

import { groupAnswers } from '../answer/groups.ts';
import { type Node, pathText } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';
import { meanLogprobOf } from './confidence.ts';
import type { Answer } from './program.ts';

export const choices = ['best', 'vote'] as const;
/** `vote`: a path counts with its score, as often as it was sampled, for all that say the same as it does. */
export type Choice = (typeof choices)[number];

export function chosenAnswer(tree: Tree, choice: Choice): Answer | undefined {
  return choice === 'vote' ? votedAnswer(tree) : bestAnswer(tree);
}

export function bestAnswer(tree: Tree): Answer | undefined {
  const node = tree.best ?? bestBeginning(tree);
  return node && describe(node);
}

/** The answer with the most weight behind it, by its best path; of equal weights the better path decides. */
export function votedAnswer(tree: Tree): Answer | undefined {
  const groups = groupAnswers(votesOf(tree));
  const [first] = groups;
  if (first === undefined) return bestAnswer(tree);
  const leaders = groups.filter(({ weight }) => weight === first.weight);
  const node = leaders
    .flatMap(({ votes }) => votes)
    .reduce((best, vote) => (isBetter(vote.node, best.node) ? vote : best)).node;
  const weights = groups.reduce((sum, { weight }) => sum + weight, 0);
  return { ...describe(node), support: weights === 0 ? 0 : first.weight / weights };
}

function votesOf(tree: Tree) {
  return tree.nodes.flatMap((node) => {
    const { terminal, answer } = node;
    return terminal && answer !== undefined ? [{ answer, weight: weightOf(node), node }] : [];
  });
}

/** A node that several samples share counts once for each of them; without a verifier every sample counts alike. */
function weightOf({ count, reward, score }: Node): number {
  return reward === undefined ? count : count * score;
}

function isBetter(node: Node, other: Node): boolean {
  return node.score > other.score || (node.score === other.score && meanLogprobOf(node) > meanLogprobOf(other));
}

function describe(node: Node): Answer {
  const { id, answer, score, terminal } = node;
  return { node: id, text: pathText(node), answer, score, complete: terminal };
}

/** The leaf with the highest score; of equals the deepest, then the earliest. */
function bestBeginning(tree: Tree): Node | undefined {
  let best: Node | undefined;
  for (const node of tree.nodes) {
    if (node.depth === 0 || node.children.length > 0) continue;
    if (best === undefined || node.score > best.score || (node.score === best.score && node.depth > best.depth))
      best = node;
  }
  return best;
}
