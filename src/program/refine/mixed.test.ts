// The mixed model against the chains of its authors, and what it does with scores that repeat each other.

import { expect, test } from 'vitest';
import { Random } from '../../base/random.ts';
import { MixedPosterior } from './mixed.ts';

const sums = (scores: readonly number[]) => ({
  count: scores.length,
  sum: scores.reduce((all, each) => all + each, 0),
  squares: scores.reduce((all, each) => all + each * each, 0),
});

type Moments = readonly [mean: number, deviation: number];

/**
 * Posterior predictive of each group and of a new one as TreeQuest 0.3.3 has it: `build_fitting_model` and `build_prediction_model` of its
 * PyMCInterface with default priors, sampled by PyMC 5.28.5 and NumPyro 0.22.0 (NUTS, 4 chains of 5,000 draws after 2,000, target_accept
 * 0.97, random_seed 7). A second or third digit of these is chance: NUTS diverged 333, 4, 0, 700 and 0 times.
 */
const byChains: readonly [groups: readonly (readonly number[])[], seen: readonly Moments[], unseen: Moments][] = [
  [[[0.4]], [[0.4375, 0.298]], [0.4574, 0.346]],
  [
    [[0.2, 0.4], [0.6], [0.9, 0.7, 0.8]],
    [
      [0.3886, 0.2382],
      [0.5782, 0.2401],
      [0.731, 0.2291],
    ],
    [0.5481, 0.3234],
  ],
  [
    [
      [0.05, 0, 0.1],
      [1, 0.9],
      [0.5, 0.4, 0.6, 0.55],
    ],
    [
      [0.0686, 0.1191],
      [0.923, 0.1302],
      [0.512, 0.1151],
    ],
    [0.4973, 0.3782],
  ],
  [
    [[0.1], [0.5], [0.55], [0.9], [0.3], [0.6], [0.2], [0.8]],
    [
      [0.333, 0.3122],
      [0.4964, 0.2834],
      [0.519, 0.2823],
      [0.6619, 0.3159],
      [0.4162, 0.287],
      [0.5371, 0.283],
      [0.374, 0.2975],
      [0.6214, 0.3027],
    ],
    [0.4867, 0.3349],
  ],
  [
    [
      [0.3, 0.35, 0.5, 0.2, 0.45, 0.3, 0.25, 0.4],
      [0.6, 0.7, 0.4, 0.8, 0.65, 0.75, 0.5, 0.7],
    ],
    [
      [0.3577, 0.1407],
      [0.6258, 0.1425],
    ],
    [0.4908, 0.2813],
  ],
];

test.each(byChains)('of %j it believes what the chains do', (groups, seen, unseen) => {
  const belief = new MixedPosterior(groups.map(sums));
  for (const [at, [mean, deviation]] of [...seen, unseen].entries()) {
    const own = belief.moments(at < seen.length ? at : undefined);
    expect(Math.abs(own.mean - mean)).toBeLessThan(0.01);
    expect(Math.abs(own.deviation - deviation)).toBeLessThan(0.01);
  }
});

test('draws have the moments of the belief, and the same scores give the same draws', () => {
  const belief = new MixedPosterior([[0.2, 0.4], [0.6], [0.9, 0.7, 0.8]].map(sums));
  for (const group of [0, 2, undefined]) {
    const random = new Random('mixed', group ?? 'new');
    const draws = Array.from({ length: 20_000 }, () => belief.draw(group, random));
    const mean = draws.reduce((all, each) => all + each, 0) / draws.length;
    const square = draws.reduce((all, each) => all + (each - mean) ** 2, 0) / draws.length;
    expect(mean).toBeCloseTo(belief.moments(group).mean, 2);
    expect(Math.sqrt(square)).toBeCloseTo(belief.moments(group).deviation, 2);
  }
  const drawn = () => belief.draw(1, new Random('same'));
  expect(drawn()).toBe(drawn());
});

test('scores that repeat each other are believed, and leave a new answer open', () => {
  const belief = new MixedPosterior([[0, 0, 0, 0], [1]].map(sums));
  expect(belief.moments(0).mean).toBeCloseTo(0, 2);
  expect(belief.moments(1).mean).toBeCloseTo(1, 1);
  expect(belief.moments(undefined).deviation).toBeGreaterThan(0.3);
  // Nothing seen is the prior: its mean, and the deviations of mean, groups and scores together.
  const { mean, deviation } = new MixedPosterior([]).moments(undefined);
  expect([mean, deviation]).toEqual([expect.closeTo(0.5), expect.closeTo(Math.hypot(0.2, 0.2, 0.3), 2)]);
});
