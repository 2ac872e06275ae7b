import { expect, it } from 'vitest';
import type { DrawnSample } from './drawn-samples.ts';
import { labelledStops } from './labelled-stops.ts';

const sample = (meaning: string | undefined, last = 0.8): DrawnSample => {
  return { meaning, complete: true, right: meaning === 'a', tokens: 10, scores: { own: last, last } };
};

it('ends when another sample is not worth its price, in every rotation', () => {
  const four = [sample('a'), sample('a'), sample('b', 0.3), sample('a')];
  // e^(−1.4 · √2) / 20 = 0.0069, 1 / 20 = 0.05, e^(−1.4 / √3) / 30 = 0.0149.
  const stops = labelledStops(four, 0.01, false);
  expect(stops.map(({ standing }) => standing.samples)).toEqual([2, 4, 4, 2]);
  expect(stops[1]!.standing).toEqual({ share: 3 / 4, samples: 4 });
  expect(labelledStops(four, 1, false).map(({ right }) => right)).toEqual([true, true, false, true]);
});

it('also counts each stop with a score if a judge has read it', () => {
  const stops = labelledStops([sample('b', 0.3), sample('b', 0.4)], 1, true);
  expect(stops.map(({ standing }) => standing.score)).toEqual([undefined, 0.3, undefined, 0.4]);
  expect(labelledStops([sample(undefined), sample(undefined)], 1, true)).toEqual([]);
});
