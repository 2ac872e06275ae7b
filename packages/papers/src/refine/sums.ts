// Sums of scores: of answers in a tree, put together, taken apart and weighed. Pure.

import type { Node, ScoreSums } from '@coppice/core/tree';

export const nothing: ScoreSums = { count: 0, sum: 0, squares: 0 };

/** Scores of answers themselves, twins counted. */
export function generatedAt(answers: readonly Node[]): ScoreSums {
  return answers.map(({ count, score }) => repeated(score, count)).reduce(more, nothing);
}

/** Scores of an answer and of all that were written below it. */
export function reachedBy({ visits, value, squares }: Node): ScoreSums {
  return { count: visits, sum: value, squares };
}

export function repeated(score: number, count: number): ScoreSums {
  return { count, sum: count * score, squares: count * score * score };
}

export function more(a: ScoreSums, b: ScoreSums): ScoreSums {
  return { count: a.count + b.count, sum: a.sum + b.sum, squares: a.squares + b.squares };
}

export function less(a: ScoreSums, b: ScoreSums): ScoreSums {
  return {
    count: Math.max(0, a.count - b.count),
    sum: Math.max(0, a.sum - b.sum),
    squares: Math.max(0, a.squares - b.squares),
  };
}

/** The same mean and spread, counted as at most so many scores. */
export function atMost(most: number, { count, sum, squares }: ScoreSums): ScoreSums {
  const share = count <= most ? 1 : most / count;
  return { count: share * count, sum: share * sum, squares: share * squares };
}

/** The mean as it is when its odds are so many times as high; means of 0 and 1 stay. The spread stays one of scores from 0 to 1. */
export function withOdds(times: number, { count, sum, squares }: ScoreSums = nothing): ScoreSums {
  if (count === 0) return nothing;
  const mean = sum / count;
  const factor = times / (1 - mean + times * mean);
  const moved = factor * sum;
  return { count, sum: moved, squares: Math.min(moved, Math.max(factor * squares, (moved * moved) / count)) };
}
