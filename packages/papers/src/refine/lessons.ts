// Lessons of refine from one search to the next. Whether a new answer or a repair scores higher is a matter of model, verifier and kind
// of question, and a search of three answers cannot find it out. So the scores of later fresh answers, of first repairs and of repairs
// of repairs are kept over searches, and count in the next one's choice between wider and deeper as scores of its own. What is
// remembered of repairs goes up and down with fresh answers: scores of different times are of different questions. Pure.

import type { Learned, ScoreSums, Tree } from '@coppice/core/tree';
import { atMost, generatedAt, less, more, nothing, repeated, withOdds } from './sums.ts';

/**
 * Scores that are remembered of each kind: new ones push old ones out, so that another kind of question is learned, and a search's own
 * still change its mind. Chosen in simulated worlds: half as many keep trying what is worse, twice as many are slow to unlearn.
 */
export const remembered = 64;

/** Scores of new answers at a place, and of answers below its answers, before anything is written there. `depth`: answers between it and the root. */
export function priorAt(depth: number, learned: Learned | undefined) {
  const { fresh = nothing, repairs = nothing, deeper = nothing } = learned ?? {};
  if (depth === 0) return { wider: fresh, deeper: atMost(remembered, more(repairs, deeper)) };
  return { wider: depth === 1 ? repairs : deeper, deeper };
}

/** Adds what the tree of an ended search shows to what was known. */
export function lessonOf({ nodes }: Tree, before: Learned | undefined): Learned | undefined {
  const [, first] = nodes;
  if (first === undefined || (nodes.length === 2 && first.count === 1)) return before;
  const at = (isOf: (depth: number) => boolean) => generatedAt(nodes.filter(({ depth }) => isOf(depth)));
  // First answers are drawn on easy questions too; later ones and repairs both come after a failure, and so compare.
  const fresh = less(
    at((depth) => depth === 1),
    repeated(first.score, 1),
  );
  const repairs = at((depth) => depth === 2);
  const deeper = at((depth) => depth > 2);
  const drawn = more(repeated(1, fresh.count), repeated(0, repairs.count + deeper.count));
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
 * Change of the odds of fresh answers by new scores. When questions become harder, fresh answers show it soon and repairs, of which there
 * are few, long after: beside them they would look good. So old repairs follow, as far as later answers are fresh ones: where most are
 * repairs, these know the level themselves. A mean of fewer scores than are remembered is still being found out, and is no level.
 */
function changeOf(fresh: ScoreSums, before: ScoreSums = nothing): number {
  if (before.count <= remembered - 1) return 1;
  return oddsOf(remember(fresh, before)) / oddsOf(before);
}

/** With half a pass and half a failure more, as in Jeffreys' prior: neither 0 nor infinite. */
function oddsOf({ count, sum }: ScoreSums): number {
  return (sum + 0.5) / (count - sum + 0.5);
}

/** New scores take the place of old ones beyond what is remembered: what was learned long ago fades. */
function remember(scores: ScoreSums, before: ScoreSums = nothing): ScoreSums {
  const news = atMost(remembered, scores);
  return more(atMost(remembered - news.count, before), news);
}
