import { confidenceBy, type VotedStanding } from '@coppice/core/answer';
import { Random } from '@coppice/core/base';
import { expect, it } from 'vitest';
import { calibrationOf, fitted, leaderOf, stopsAt, unscored, type VoteStop } from './confidence-fit.ts';
import type { Sample } from './rivals.ts';

const sample = (group: string | undefined, score: number): Sample => {
  return { group, tokens: 10, score, right: group === 'a' };
};

it('tells the leader by votes, of equals the first, with the share of all samples and the score of its first', () => {
  const samples = [sample('b', 0.4), sample(undefined, 0.1), sample('a', 0.9), sample('a', 0.5)];
  expect(leaderOf(samples.slice(0, 3))).toEqual({ standing: { share: 1 / 3, samples: 3, score: 0.4 }, right: false });
  expect(leaderOf(samples)).toEqual({ standing: { share: 2 / 4, samples: 4, score: 0.9 }, right: true });
  expect(leaderOf([sample(undefined, 0.1)])).toBeUndefined();
});

it('stops sooner at a higher price, and at price 0 with all samples', () => {
  const questions = [Array.from({ length: 8 }, (_, at) => sample(at % 3 === 0 ? 'b' : 'a', 0.5))];
  const stops = stopsAt(questions, [0.05, 0.005, 0], 4, (...place) => new Random('test', ...place));
  for (const order of [0, 1, 2, 3]) {
    const counts = stops.map((orders) => orders[order]![0]!.standing.samples);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts[2]).toBe(8);
  }
});

/** Answers that are right as often as these weights say. */
function drawn(weights: readonly number[], count: number, random: Random): VoteStop[] {
  return Array.from({ length: count }, () => {
    const samples = 1 + random.integer(16);
    const standing = { share: (1 + random.integer(samples)) / samples, samples, score: random.uniform() };
    return { standing, right: random.uniform() < confidenceBy(weights, standing) };
  });
}

it('finds the weights that answers were drawn by, and is then as calibrated as a perfect model', () => {
  const truth = [-1, 1.2, 0.5, 0.7];
  const random = new Random('drawn');
  const found = fitted([drawn(truth, 20_000, random), drawn(truth, 5000, random)]);
  for (const [at, weight] of found.entries()) expect(Math.abs(weight - truth[at]!)).toBeLessThan(0.1);
  const told = (standing: VotedStanding) => confidenceBy(found, standing);
  const { error, perfect, right, low, high } = calibrationOf([drawn(truth, 5000, random)], told, 0.9, random);
  expect(Math.abs(error - perfect)).toBeLessThan(0.02);
  expect(right).toBeGreaterThan(0.9);
  expect([low < right, right < high]).toEqual([true, true]);
});

it('gives every set the same weight, however many stops it has', () => {
  const standing = { share: 1, samples: 4 };
  const right = (count: number, share: number): VoteStop[] =>
    Array.from({ length: count }, (_, at) => ({ standing, right: at < share * count }));
  const weights = fitted([right(1000, 0.9), right(10, 0.5)]);
  expect(confidenceBy(weights, standing)).toBeCloseTo(0.7, 2);
  expect(unscored({ standing: { ...standing, score: 0.2 }, right: true }).standing).toEqual(standing);
});
