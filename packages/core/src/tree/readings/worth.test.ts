import { expect, test } from 'vitest';
import { expectedNeed, type SampleStanding, worthOf } from './worth.ts';

const unanimous: SampleStanding = { samples: 2, lead: 2 / Math.sqrt(2), spent: 400 };

test('going on is worth e^(-1.4 · lead) / tokens spent', () => {
  expect(worthOf({ lead: 0.5, spent: 200 })).toBeCloseTo(Math.exp(-0.7) / 200, 12);
  expect(worthOf({ lead: 0, spent: 0 })).toBe(Number.POSITIVE_INFINITY);
});

test('a vote is expected to end where √k has carried its lead', () => {
  // Unanimous at 200 tokens a sample: e^(-1.4 √k) / 200k is 3.5e-4, 1.5e-4, 7.6e-5, 4.4e-5 and 2.7e-5 after 2 to 6.
  const prices = [4e-4, 2e-4, 1e-4, 5e-5, 3e-5];
  expect(prices.map((price) => expectedNeed(unanimous, price, 16))).toEqual([2, 3, 4, 5, 6]);
});

test('a tie is expected to go on until the tokens alone end it, or to the cap', () => {
  const tie = { ...unanimous, lead: 0 };
  expect(expectedNeed(tie, 1 / 2100, 16)).toBe(11);
  expect(expectedNeed(tie, 1e-6, 16)).toBe(16);
});
