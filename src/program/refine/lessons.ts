// What refine learns from one search to the next. Whether a new answer or a repair scores higher is a matter of model, verifier and kind
// of question, and a search of three answers cannot find it out. So the scores of later fresh answers, of first repairs and of repairs
// of repairs are kept over searches, and count in the next one's choice between wider and deeper as scores of its own. Pure.

import type { Learned, ScoreSums } from '../../tree/learned.ts';
import type { Tree } from '../../tree/tree.ts';
import { atMost, generatedAt, less, more, nothing, repeated } from './sums.ts';

/**
 * Scores that are remembered of each kind: new ones push old ones out, so that another kind of question is learned, and a search's own
 * still change its mind. Chosen in simulated worlds: half as many keep trying what is worse, twice as many are slow to unlearn.
 */
export const remembered = 64;

/** What is believed of a place before anything has been written there. */
export interface PlacePrior {
  /** Of new answers at the place. */
  readonly wider: ScoreSums;
  /** Of those below its answers. */
  readonly deeper: ScoreSums;
}

/** Of a place so many answers below the root. */
export function priorAt(depth: number, learned: Learned | undefined): PlacePrior {
  const { fresh = nothing, repairs = nothing, deeper = nothing } = learned ?? {};
  if (depth === 0) return { wider: fresh, deeper: atMost(remembered, more(repairs, deeper)) };
  return { wider: depth === 1 ? repairs : deeper, deeper };
}

/** What was known, and what the tree of a search that has ended adds to it. */
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
  return {
    fresh: remember(fresh, before?.fresh),
    repairs: remember(repairs, before?.repairs),
    deeper: remember(deeper, before?.deeper),
  };
}

/** New scores take the place of old ones beyond what is remembered: what was learned long ago fades. */
function remember(scores: ScoreSums, before: ScoreSums = nothing): ScoreSums {
  const news = atMost(remembered, scores);
  return more(atMost(remembered - news.count, before), news);
}
