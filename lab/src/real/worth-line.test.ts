import { expect, it } from 'vitest';
import { expectedNeed, weightOf, worthConstants, worthOf, worthOfReading } from './worth-line.ts';

it('is e^(−1.4 · lead) over what was spent', () => {
  expect(worthConstants.slope).toBe(1.4);
  expect(worthOf(0, 100)).toBe(0.01);
  expect(worthOf(2, 100)).toBeCloseTo(Math.exp(-2.8) / 100, 15);
});

it('has a reading worth half of that, over what it costs to read', () => {
  expect(worthOfReading(0, 50, 0.5)).toBeCloseTo(0.5 / 25, 15);
  expect(worthOfReading(1, 50, 1)).toBeCloseTo((0.5 * Math.exp(-1.4)) / 50, 15);
});

it('weighs a score by its odds to a power, and holds those of sure ones', () => {
  expect(weightOf(0.8, 1)).toBeCloseTo(4, 12);
  expect(weightOf(0.8, 0.5)).toBeCloseTo(2, 12);
  expect(weightOf(0.8, 0)).toBe(1);
  expect(weightOf(1, 1)).toBeCloseTo(99, 9);
  expect(weightOf(0, 1)).toBeCloseTo(1 / 99, 9);
});

it('expects to need as many samples as stop it when shares and lengths stay', () => {
  // Two samples that disagree: 1 / (50 · count) falls below 1 / 220 at the fifth.
  const even = { ended: 2, lead: 0, spent: 100 };
  expect(expectedNeed(even, 1 / 220, 16)).toBe(5);
  expect(expectedNeed(even, 1 / 220, 4)).toBe(4);
  expect(expectedNeed(even, 1e-9, 16)).toBe(16);
  // All of one mind: the lead over √count grows as √count.
  const sure = { ended: 1, lead: 1, spent: 1 };
  const price = Math.exp(-1.4 * Math.sqrt(3)) / 3;
  expect(expectedNeed(sure, price * 1.0001, 16)).toBe(3);
  expect(expectedNeed(sure, price * 0.9999, 16)).toBe(4);
});
