// Lessons of refine from one search to the next. Whether a new answer or a repair scores higher depends on model, verifier and kind of
// question, and a search of three answers is too short to learn it. So the scores of later fresh answers, first repairs and repairs
// of repairs are kept across searches. The next search's choice between wider and deeper counts them like its own scores. Scores of
// different times are of different questions, so remembered repair scores move with those of fresh answers. Pure.

import type { Learned, ScoreSums, Tree } from '@coppice/core/tree';
import { add, atMost, nothing, ownScores, repeated, subtract, withOdds } from './sums.ts';

/**
 * Most remembered scores of each kind. New ones push old ones out, so a new kind of question is learned, and a search's own scores can
 * outweigh them. Chosen in simulated worlds: half as many keep trying the worse option, twice as many are slow to unlearn.
 */
export const remembered = 64;

/** Prior scores of new answers at a place and of answers below its answers. `depth`: answers between the root and the place. */
export function priorAt(depth: number, learned: Learned | undefined) {
  const { fresh = nothing, repairs = nothing, deeper = nothing } = learned ?? {};
  if (depth === 0) return { wider: fresh, deeper: atMost(remembered, add(repairs, deeper)) };
  return { wider: depth === 1 ? repairs : deeper, deeper };
}

/** Adds the scores of an ended search to the known ones. */
export function lessonOf({ nodes }: Tree, before: Learned | undefined): Learned | undefined {
  const [, first] = nodes;
  if (first === undefined || (nodes.length === 2 && first.count === 1)) return before;
  const at = (isOf: (depth: number) => boolean) => ownScores(nodes.filter(({ depth }) => isOf(depth)));
  // The first answer is left out: easy questions get one too. Later answers and repairs both follow a failure, so they compare.
  const fresh = subtract(
    at((depth) => depth === 1),
    repeated(first.score, 1),
  );
  const repairs = at((depth) => depth === 2);
  const deeper = at((depth) => depth > 2);
  const drawn = add(repeated(1, fresh.count), repeated(0, repairs.count + deeper.count));
  const freshShare = remember(drawn, before?.freshShare);
  const change = changeOf(fresh, before?.fresh) ** (freshShare.sum / Math.max(1, freshShare.count));
  return {
    fresh: remember(fresh, before?.fresh),
    repairs: remember(repairs, withOdds(change, before?.repairs)),
    deeper: remember(deeper, withOdds(change, before?.deeper)),
    freshShare,
  };
}

/**
 * Factor by which new scores change the odds of fresh answers. When questions get harder, fresh answers show it at once; repairs are
 * rare, so their old scores would look good for long. So old repair scores move by the same factor, to the power of the share of fresh
 * answers: where most answers are repairs, repairs show the level themselves. A mean of few scores is too uncertain to move others.
 */
function changeOf(fresh: ScoreSums, before: ScoreSums = nothing): number {
  if (before.count <= remembered - 1) return 1;
  return oddsOf(remember(fresh, before)) / oddsOf(before);
}

/** Adds half a pass and half a failure (Jeffreys' prior), so that odds are neither 0 nor infinite. */
function oddsOf({ count, sum }: ScoreSums): number {
  return (sum + 0.5) / (count - sum + 0.5);
}

/** New scores replace old ones beyond the limit: old lessons fade. */
function remember(scores: ScoreSums, before: ScoreSums = nothing): ScoreSums {
  const news = atMost(remembered, scores);
  return add(atMost(remembered - news.count, before), news);
}
