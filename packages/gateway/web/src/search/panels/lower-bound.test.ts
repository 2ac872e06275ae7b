import { describe, expect, it } from 'vitest';
import { lowerBound } from './lower-bound.ts';

function boundOf(...scores: readonly number[]): number | undefined {
  const sum = (of: (score: number) => number) => scores.reduce((total, score) => total + of(score), 0);
  return lowerBound({ visits: scores.length, value: sum((score) => score), squares: sum((score) => score ** 2) });
}

describe('the lower bound of a mean value', () => {
  it('is unknown before the second visit', () => {
    expect(boundOf()).toBeUndefined();
    expect(boundOf(0.9)).toBeUndefined();
  });

  it('is the mean if all values are equal, and never below 0', () => {
    expect(boundOf(0.7, 0.7, 0.7)).toBeCloseTo(0.7);
    expect(boundOf(0, 1)).toBe(0);
  });

  it('is that of the textbook: mean 0.6, deviation 0.158, five visits, t 2.132', () => {
    expect(boundOf(0.4, 0.5, 0.6, 0.7, 0.8)).toBeCloseTo(0.6 - 2.132 * (0.15811 / Math.sqrt(5)), 3);
  });

  it('rises towards the mean with more visits of the same spread', () => {
    const spread = [0.5, 0.7];
    const bounds = [2, 4, 8, 16, 64].map((times) => boundOf(...Array.from({ length: times }, () => spread).flat())!);
    expect(bounds.toSorted((a, b) => a - b)).toEqual(bounds);
    expect(bounds.at(-1)).toBeGreaterThan(0.58);
  });
});
