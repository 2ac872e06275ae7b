// A median with a 95 % interval from the order of the values alone, without assumptions about their distribution. Six values are the fewest
// whose extremes enclose the median of all such runs (1 - 2/2^6 = 97 %).

import { assert } from '@coppice/core/base';

export interface MedianInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export const fewestValues = 6;

export function medianInterval(values: readonly number[]): MedianInterval {
  assert(values.length >= fewestValues, `an interval of a median needs ${fewestValues} values`);
  const sorted = values.toSorted((a, b) => a - b);
  const rank = outerRank(sorted.length);
  const [below, above] = [sorted[Math.floor((sorted.length - 1) / 2)]!, sorted[Math.ceil((sorted.length - 1) / 2)]!];
  return { value: (below + above) / 2, low: sorted[rank]!, high: sorted.at(-1 - rank)! };
}

/** The most values that can be left out at either end while the rest still encloses the median with 95 %. */
function outerRank(count: number): number {
  let [rank, tail, term] = [0, 0, 0.5 ** count];
  for (; ; rank += 1) {
    tail += term;
    if (tail > 0.025) return rank - 1;
    term *= (count - rank) / (rank + 1);
  }
}
