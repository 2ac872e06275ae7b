// Thompson sampling in a tree of whole answers: whether a new answer is written at a place or one of its answers is gone on from, and which
// model is asked (AB-MCTS, arXiv 2503.04412 §3 and its multi-model form). One draw of what is believed of each option; the highest
// is taken. Reads scores alone; chance is an argument.

import type { Random } from '@coppice/core/base';
import { isComplete, type Learned, type Node, type ScoreSums, type Tree } from '@coppice/core/tree';
import { priorAt } from './lessons.ts';
import { drawMean, type PosteriorName } from './posterior.ts';
import { generatedAt, less, more, reachedBy } from './sums.ts';

/**
 * The answer to go on to, or nothing where a new one is to be written here. AB-MCTS-A: first between a new answer and the old ones together,
 * then which of these. What earlier searches taught counts in the first choice alone: in the second all would begin with the same, and
 * their own scores would hardly tell them apart.
 */
export function goOnTo(
  posterior: PosteriorName,
  node: Node,
  random: Random,
  learned?: Learned | undefined,
): Node | undefined {
  const open = node.children.filter((child) => !child.terminal && isComplete(child));
  if (open.length === 0) return undefined;
  const draw = (scores: ScoreSums) => drawMean(posterior, scores, random);
  const prior = priorAt(node.depth, learned);
  const deeper = less(open.map(reachedBy).reduce(more), generatedAt(open));
  if (draw(more(prior.wider, generatedAt(node.children))) >= draw(more(prior.deeper, deeper))) return undefined;
  return highest(open, (child) => draw(reachedBy(child)));
}

/** The model to ask, by what each of them has scored anywhere in the tree. */
export function writerByScores(
  posterior: PosteriorName,
  { nodes }: Tree,
  models: readonly string[],
  random: Random,
): string | undefined {
  if (models.length < 2) return models[0];
  const scores = models.map((model) => generatedAt(nodes.filter(({ step }) => step?.model === model)));
  return highest(models, (_, at) => drawMean(posterior, scores[at]!, random));
}

function highest<Option>(options: readonly Option[], draw: (option: Option, at: number) => number): Option {
  const drawn = options.map((option, at) => ({ option, worth: draw(option, at) }));
  return drawn.reduce((best, each) => (each.worth > best.worth ? each : best)).option;
}
