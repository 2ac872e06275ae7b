// Sums of scores: of the answers in a tree, and their arithmetic. Pure.

import type { Node, ScoreSums } from '@coppice/core/tree';

export const nothing: ScoreSums = { count: 0, sum: 0, squares: 0 };

/** Sums of the answers' own scores; twins count separately. */
export function ownScores(answers: readonly Node[]): ScoreSums {
  return answers.map(({ count, score }) => repeated(score, count)).reduce(add, nothing);
}

/** Sums of the scores of an answer and of all answers below it. */
export function subtreeScores({ visits, value, squares }: Node): ScoreSums {
  return { count: visits, sum: value, squares };
}

export function repeated(score: number, count: number): ScoreSums {
  return { count, sum: count * score, squares: count * score * score };
}

export function add(a: ScoreSums, b: ScoreSums): ScoreSums {
  return { count: a.count + b.count, sum: a.sum + b.sum, squares: a.squares + b.squares };
}

export function subtract(a: ScoreSums, b: ScoreSums): ScoreSums {
  return {
    count: Math.max(0, a.count - b.count),
    sum: Math.max(0, a.sum - b.sum),
    squares: Math.max(0, a.squares - b.squares),
  };
}

/** Keeps mean and spread but counts at most `most` scores. */
export function atMost(most: number, { count, sum, squares }: ScoreSums): ScoreSums {
  const share = count <= most ? 1 : most / count;
  return { count: share * count, sum: share * sum, squares: share * squares };
}

/** Multiplies the odds of the mean; means of 0 and 1 stay. The spread stays that of scores from 0 to 1. */
export function withOdds(times: number, { count, sum, squares }: ScoreSums = nothing): ScoreSums {
  if (count === 0) return nothing;
  const mean = sum / count;
  const factor = times / (1 - mean + times * mean);
  const moved = factor * sum;
  return { count, sum: moved, squares: Math.min(moved, Math.max(factor * squares, (moved * moved) / count)) };
}
