import { expect, it } from 'vitest';
import { evenSlowdown, slowdownAt } from './slowdown.ts';

const table = {
  sequences: [16, 64],
  passTokens: [1000, 16_000],
  generator: [
    [1.2, 2],
    [1.4, 2.4],
  ],
  rewardModel: [
    [1, 1.5],
    [1.6, 2],
  ],
};

it('is what was measured at the sizes that were measured', () => {
  expect(slowdownAt(table, 'generator', 16, 1000)).toBe(1.2);
  expect(slowdownAt(table, 'generator', 64, 16_000)).toBe(2.4);
  expect(slowdownAt(table, 'rewardModel', 64, 1000)).toBe(1.6);
});

it('lies between its neighbours, and stays at the outermost ones', () => {
  expect(slowdownAt(table, 'generator', 40, 1000)).toBeCloseTo(1.3);
  expect(slowdownAt(table, 'rewardModel', 16, 8500)).toBeCloseTo(1.25);
  expect(slowdownAt(table, 'generator', 40, 8500)).toBeCloseTo(1.75);
  expect(slowdownAt(table, 'generator', 1, 1)).toBe(1.2);
  expect(slowdownAt(table, 'rewardModel', 512, 1e6)).toBe(2);
});

it('is the same everywhere where one pair is all that is known', () => {
  const even = evenSlowdown(3, 2);
  for (const size of [1, 100, 100_000]) expect(slowdownAt(even, 'generator', size, size)).toBe(3);
  expect(slowdownAt(even, 'rewardModel', 7, 7)).toBe(2);
});
