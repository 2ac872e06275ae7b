// Thompson sampling in a tree of whole answers: whether a new answer is written at a place or one of its answers is gone on from, and which
// model is asked (AB-MCTS, arXiv 2503.04412 §3 and its multi-model form). One draw of what is believed of each option; the highest
// is taken. Reads scores alone; chance is an argument.

import type { Random } from '../../base/random.ts';
import { isComplete, type Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import { MixedPosterior } from './mixed.ts';
import { drawMean, type PosteriorName, type ScoreSums } from './posterior.ts';

/** The answer to go on to, or nothing where a new one is to be written here. */
export function goOnTo(posterior: PosteriorName, node: Node, random: Random): Node | undefined {
  const open = node.children.filter((child) => !child.terminal && isComplete(child));
  if (open.length === 0) return undefined;
  return posterior === 'mixed' ? amongAll(node, open, random) : newOrOld(posterior, node, open, random);
}

/** AB-MCTS-A: first between a new answer and the old ones together, then which of these. */
function newOrOld(posterior: 'gaussian' | 'beta', node: Node, open: readonly Node[], random: Random) {
  const draw = (scores: ScoreSums) => drawMean(posterior, scores, random);
  const deeper = less(open.map(reachedBy).reduce(more), generatedAt(open));
  if (draw(generatedAt(node.children)) >= draw(deeper)) return undefined;
  return highest(open, (child) => draw(reachedBy(child)));
}

/** AB-MCTS-M: the next score of each answer and of a new one, under one model of all answers here. */
function amongAll({ children }: Node, open: readonly Node[], random: Random): Node | undefined {
  const belief = new MixedPosterior(children.map(reachedBy));
  const options: (Node | undefined)[] = [undefined, ...open];
  return highest(options, (child) => belief.draw(child && children.indexOf(child), random));
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
  if (posterior !== 'mixed') return highest(models, (_, at) => drawMean(posterior, scores[at]!, random));
  const belief = new MixedPosterior(scores);
  return highest(models, (_, at) => belief.draw(at, random));
}

function highest<Option>(options: readonly Option[], draw: (option: Option, at: number) => number): Option {
  const drawn = options.map((option, at) => ({ option, worth: draw(option, at) }));
  return drawn.reduce((best, each) => (each.worth > best.worth ? each : best)).option;
}

/** Scores of answers themselves, twins counted. */
function generatedAt(answers: readonly Node[]): ScoreSums {
  return answers
    .map(({ count, score }) => ({ count, sum: count * score, squares: count * score * score }))
    .reduce(more, nothing);
}

/** Scores of an answer and of all that were written below it. */
function reachedBy({ visits, value, squares }: Node): ScoreSums {
  return { count: visits, sum: value, squares };
}

const nothing: ScoreSums = { count: 0, sum: 0, squares: 0 };

function more(a: ScoreSums, b: ScoreSums): ScoreSums {
  return { count: a.count + b.count, sum: a.sum + b.sum, squares: a.squares + b.squares };
}

function less(a: ScoreSums, b: ScoreSums): ScoreSums {
  return {
    count: Math.max(0, a.count - b.count),
    sum: Math.max(0, a.sum - b.sum),
    squares: Math.max(0, a.squares - b.squares),
  };
}
