import { expect, test } from 'vitest';
import { expectedNeed, isWorth, type VoteStanding } from './worth.ts';

const blind: VoteStanding = { samples: 2, lead: 2 / Math.sqrt(2), spent: 400, judged: false };

test('a sample is worth e^(-1.4 · lead) / tokens spent', () => {
  const worth = Math.exp(-1.4 * 0.5) / 200;
  expect(isWorth(0.5, 200, worth)).toBe(true);
  expect(isWorth(0.5, 200, worth * 1.001)).toBe(false);
  expect(isWorth(0.6, 200, worth)).toBe(false);
  expect(isWorth(0.5, 201, worth)).toBe(false);
});

test('without a price every sample is worth it, and before a token is spent too', () => {
  expect(isWorth(100, 1e9, 0)).toBe(true);
  expect(isWorth(0, 0, 1)).toBe(true);
});

test('a vote without a judge is expected to end where √k has carried its lead', () => {
  // Unanimous at 200 tokens a sample: e^(-1.4 √k) / 200k is 3.5e-4, 1.5e-4, 7.6e-5, 4.4e-5 and 2.7e-5 after 2 to 6.
  const prices = [4e-4, 2e-4, 1e-4, 5e-5, 3e-5];
  expect(prices.map((price) => expectedNeed(blind, price, 16))).toEqual([2, 3, 4, 5, 6]);
});

test('one with a judge ends earlier, since its lead grows with k', () => {
  const judged = { ...blind, lead: 1.4, judged: true };
  expect(expectedNeed(judged, 3e-5, 16)).toBeLessThan(expectedNeed({ ...judged, judged: false }, 3e-5, 16));
});

test('a tie is expected to go on until the tokens alone end it, or to the cap', () => {
  const tie = { ...blind, lead: 0 };
  expect(expectedNeed(tie, 1 / 2100, 16)).toBe(11);
  expect(expectedNeed(tie, 1e-6, 16)).toBe(16);
});
