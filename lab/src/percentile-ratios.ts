// Ratios of percentiles between two ways to serve the same requests, with 95 % intervals by the bootstrap: blocks of neighbours are drawn
// with replacement, since they met the same queue.

import type { Random } from '@coppice/core/base';
import { percentile } from './statistics.ts';

/** The second way over the first: below 1 is faster. */
export interface Ratio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const resamples = 300;
/** Requests that are drawn together: neighbours met the same queue. */
const block = 40;

/** How long each request took, serving by serving. */
type Times = readonly (readonly number[])[];

/** The ratios of percentiles over all servings with 95 % intervals, from blocks of requests drawn with replacement. */
export function ratiosOf(
  [first, second]: readonly [Times, Times],
  percents: readonly number[],
  random: Random,
): Ratio[] {
  const ratios = (picked: readonly number[]) => {
    const [one, other] = [first, second].map((times) => times.flatMap((each) => picked.map((at) => each[at]!)));
    return percents.map((percent) => percentile(other!, percent) / percentile(one!, percent));
  };
  const { length } = first[0]!;
  const drawn = Array.from({ length: resamples }, () => ratios(pickBlocks(length, random)));
  return ratios(Array.from({ length }, (_, at) => at)).map((value, column) => {
    const values = drawn.map((each) => each[column]!);
    return { value, low: percentile(values, 2.5), high: percentile(values, 97.5) };
  });
}

function pickBlocks(length: number, random: Random): number[] {
  const size = Math.min(block, length);
  return Array.from({ length: Math.ceil(length / size) }, () => random.integer(length - size + 1)).flatMap((start) =>
    Array.from({ length: size }, (_, at) => start + at),
  );
}
