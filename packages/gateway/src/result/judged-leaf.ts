// An answer beside the first, as the verdict on it reads it.

import type { SearchPlan } from '@coppice/core/answering';
import type { Judged } from '@coppice/core/log';
import { weighedAnswer } from '@coppice/core/program';
import { isComplete, type Node, type Tree } from '@coppice/core/tree';

export function judgedLeaf({ scoring, threshold, accepts, marked }: SearchPlan, tree: Tree, leaf: Node): Judged {
  const { id: node, answer, reward } = leaf;
  const unsaid = marked && answer === undefined ? { unsaid: marked } : {};
  const score = reward === undefined ? undefined : leaf.score;
  const said = { node, answer, complete: isComplete(leaf), score, ...unsaid };
  return { answer: weighedAnswer(tree, said, scoring === 'verifier'), scoring, threshold, accepts };
}
