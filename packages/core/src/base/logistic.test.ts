import { expect, it } from 'vitest';
import { chanceOf, logisticLine } from './arithmetic.ts';

const readings = [-2, -1, 0, 1, 2];

it('finds the line that made the outcomes, held where nothing else is known', () => {
  const made = readings.map((reading) => ({ reading, yes: 1e4 * chanceOf(0.5 - 0.8 * reading), all: 1e4 }));
  const [height, slope] = logisticLine(made, [0, 1], 1e-3);
  expect(height).toBeCloseTo(0.5, 4);
  expect(slope).toBeCloseTo(-0.8, 4);
  expect(logisticLine([], [0, 1], 1)).toEqual([0, 1]);
  const sure = readings.map((reading) => ({ reading, yes: Number(reading > 0), all: 1 }));
  expect(logisticLine(sure, [0, 0], 1e-3).every(Number.isFinite)).toBe(true);
});
