import { expect, it } from 'vitest';
import { expectedNeed, type VoteStanding, worthOf, worthSlope } from './worth-line.ts';

const judged: VoteStanding = { ended: 4, ahead: 2, judged: true, spent: 100 };

it('is e^(−1.4 · lead) over what was spent', () => {
  expect(worthSlope).toBe(1.4);
  expect(worthOf({ ...judged, ahead: 0 })).toBe(0.01);
  expect(worthOf(judged)).toBeCloseTo(Math.exp(-2.8) / 100, 15);
});

it('divides a lead in votes by the root of the samples where nothing judges them', () => {
  expect(worthOf({ ...judged, judged: false })).toBeCloseTo(Math.exp(-1.4) / 100, 15);
});

it('always draws a first sample', () => {
  expect(worthOf({ ended: 0, ahead: 0, judged: false, spent: 0 })).toBe(Number.POSITIVE_INFINITY);
});

it('expects to need as many samples as stop it when shares and lengths stay', () => {
  // Two samples that disagree: 1 / (50 · count) falls below 1 / 220 at the fifth.
  const even = { ended: 2, ahead: 0, judged: true, spent: 100 };
  expect(expectedNeed(even, 1 / 220, 16)).toBe(5);
  expect(expectedNeed(even, 1 / 220, 4)).toBe(4);
  expect(expectedNeed(even, 1e-9, 16)).toBe(16);
  // Blind, all of one mind: the lead over √count grows as √count.
  const sure = { ended: 1, ahead: 1, judged: false, spent: 1 };
  const price = Math.exp(-1.4 * Math.sqrt(3)) / 3;
  expect(expectedNeed(sure, price * 1.0001, 16)).toBe(3);
  expect(expectedNeed(sure, price * 0.9999, 16)).toBe(4);
});
