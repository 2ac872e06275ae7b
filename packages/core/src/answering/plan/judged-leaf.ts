// An answer beside the first, as the verdict on it reads it.

import type { Judged } from '../../log/verdict.ts';
import { weighedAnswer } from '../../program/choice.ts';
import { isComplete, type Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import type { SearchPlan } from './search-plan.ts';

export function judgedLeaf({ scoring, threshold, accepts, marked }: SearchPlan, tree: Tree, leaf: Node): Judged {
  const { id: node, answer, reward } = leaf;
  const unsaid = marked && answer === undefined ? { unsaid: marked } : {};
  const score = reward === undefined ? undefined : leaf.score;
  const said = { node, answer, complete: isComplete(leaf), score, ...unsaid };
  return { answer: weighedAnswer(tree, said, scoring === 'verifier'), scoring, threshold, accepts };
}
