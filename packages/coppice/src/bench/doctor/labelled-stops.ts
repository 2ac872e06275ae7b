// Finds where votes over the samples of questions with known answers would end, and whether the leading answer is right: confidence is
// fitted to this (core: answer/confidence.ts). Samples count in all rotations of their order, one at a time. Pure.

import type { LabelledStop } from '@coppice/core/answer';
import { worthOf } from '@coppice/core/tree';
import type { DrawnSample } from './drawn-samples.ts';

/** `isJudged`: a judge has read the samples. In a search it may not read them, so that each stop counts with a score and without. */
export function labelledStops(samples: readonly DrawnSample[], price: number, isJudged: boolean): LabelledStop[] {
  return samples.flatMap((_, at) => {
    const stop = stopOf([...samples.slice(at), ...samples.slice(0, at)], price);
    if (stop === undefined) return [];
    const { score, ...standing } = stop.standing;
    return isJudged ? [{ ...stop, standing }, stop] : [{ ...stop, standing }];
  });
}

/** The stop has the score of the leader's first sample. */
function stopOf(order: readonly DrawnSample[], price: number): LabelledStop | undefined {
  for (let samples = Math.min(2, order.length); ; samples += 1) {
    const drawn = order.slice(0, samples);
    const said = drawn.filter(({ meaning }) => meaning !== undefined);
    const answers = [...Map.groupBy(said, ({ meaning }) => meaning).values()].sort((a, b) => b.length - a.length);
    const [first = [], second = []] = answers;
    const lead = (first.length - second.length) / Math.sqrt(samples);
    const spent = drawn.reduce((sum, { tokens }) => sum + tokens, 0);
    if (samples < order.length && worthOf({ lead, spent }) >= price) continue;
    const [leader] = first;
    if (leader === undefined) return undefined;
    return { standing: { share: first.length / samples, samples, score: leader.scores.last }, right: leader.right };
  }
}
