import { expect, it } from 'vitest';
import { entropyOfLikeliest } from './completion-chunk.ts';

it('counts what the likeliest tokens leave over as one token more', () => {
  expect(entropyOfLikeliest([Math.log(0.5), Math.log(0.5)])).toBeCloseTo(Math.log(2), 10);
  expect(entropyOfLikeliest([Math.log(0.5), Math.log(0.25)])).toBeCloseTo(1.5 * Math.log(2), 10);
  expect(entropyOfLikeliest([0])).toBe(0);
  expect(entropyOfLikeliest([])).toBeUndefined();
});
