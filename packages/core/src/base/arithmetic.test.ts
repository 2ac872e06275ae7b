import { expect, it } from 'vitest';
import { mean, percentile } from './arithmetic.ts';

it('percentiles are values that occurred, by nearest rank', () => {
  const values = Array.from({ length: 200 }, (_, at) => 200 - at);
  expect(percentile(values, 50)).toBe(100);
  expect(percentile(values, 99)).toBe(198);
  expect(percentile(values, 100)).toBe(200);
  expect(percentile([7], 99)).toBe(7);
  expect(mean([1, 2, 6])).toBe(3);
});
