// Thompson sampling in a tree of whole answers (AB-MCTS, arXiv 2503.04412 §3 and its multi-model form). It decides whether a place gets a
// new answer or the search descends to one of its answers, and which model writes. Each option gets one draw from its posterior; the
// highest wins. Reads scores alone; chance is an argument.

import type { Random } from '@coppice/core/base';
import { isComplete, type Learned, type Node, type ScoreSums, type Tree } from '@coppice/core/tree';
import { priorAt } from './lessons.ts';
import { drawMean, type PosteriorName } from './posterior.ts';
import { add, ownScores, subtract, subtreeScores } from './sums.ts';

/**
 * The answer to descend to, or undefined for a new answer here. AB-MCTS-A first chooses between a new answer and all old ones together, then
 * among the old ones. Lessons of earlier searches count in the first choice alone: in the second they would be equal for all answers
 * and outweigh their own scores.
 */
export function descend(
  posterior: PosteriorName,
  node: Node,
  random: Random,
  learned?: Learned | undefined,
): Node | undefined {
  const open = node.children.filter((child) => !child.terminal && isComplete(child));
  if (open.length === 0) return undefined;
  const draw = (scores: ScoreSums) => drawMean(posterior, scores, random);
  const prior = priorAt(node.depth, learned);
  const deeper = subtract(open.map(subtreeScores).reduce(add), ownScores(open));
  if (draw(add(prior.wider, ownScores(node.children))) >= draw(add(prior.deeper, deeper))) return undefined;
  return highest(open, (child) => draw(subtreeScores(child)));
}

/** The model that writes next, by the scores of all its answers in the tree. */
export function writerByScores(
  posterior: PosteriorName,
  { nodes }: Tree,
  models: readonly string[],
  random: Random,
): string | undefined {
  if (models.length < 2) return models[0];
  const scores = models.map((model) => ownScores(nodes.filter(({ step }) => step?.model === model)));
  return highest(models, (_, at) => drawMean(posterior, scores[at]!, random));
}

function highest<Option>(options: readonly Option[], draw: (option: Option, at: number) => number): Option {
  const drawn = options.map((option, at) => ({ option, worth: draw(option, at) }));
  return drawn.reduce((best, each) => (each.worth > best.worth ? each : best)).option;
}
