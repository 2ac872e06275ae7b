import { describe, expect, it } from 'vitest';
import { estimate, estimateRatio, percentile, rankCorrelation, studentT, upperShare } from './statistics.ts';

describe('statistics', () => {
  it('percentiles are values that occurred, by nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, at) => 200 - at);
    expect(percentile(values, 50)).toBe(100);
    expect(percentile(values, 99)).toBe(198);
    expect(percentile(values, 100)).toBe(200);
    expect(percentile([7], 99)).toBe(7);
  });

  it('a rank correlation knows order alone, and shares the ranks of equals', () => {
    expect(rankCorrelation([1, 2, 3, 4], [10, 100, 1000, 1001])).toBeCloseTo(1, 12);
    expect(rankCorrelation([1, 2, 3, 4], [9, 7, 5, 3])).toBeCloseTo(-1, 12);
    // Ranks 1.5, 1.5, 3 beside 1, 2, 3: 1.5 / sqrt(1.5 * 2).
    expect(rankCorrelation([5, 5, 9], [1, 2, 3])).toBeCloseTo(1.5 / Math.sqrt(3), 12);
    expect(rankCorrelation([1, 1], [1, 2])).toBe(0);
  });

  it("an interval of one group is the textbook's", () => {
    // Mean 5, standard deviation 1, n = 4: half width 3.182 * 1 / 2.
    const { value, half } = estimate([[5 - 1.5 ** 0.5, 5 + 1.5 ** 0.5, 5, 5]]);
    expect(value).toBeCloseTo(5);
    expect(half).toBeCloseTo((3.182 * 1) / 2, 3);
    expect(estimate([[5]]).half).toBeUndefined();
  });

  it('groups that differ do not widen the interval, seeds that differ do', () => {
    expect(
      estimate([
        [1, 1],
        [9, 9],
      ]),
    ).toEqual({ value: 5, half: 0 });
    expect(
      estimate([
        [1, 3],
        [9, 9],
      ]).half,
    ).toBeGreaterThan(1);
  });

  it('a share is bounded from above as Clopper and Pearson do, by three in n where it was never seen', () => {
    expect(upperShare(0, 1000)).toBeCloseTo(1 - 0.05 ** (1 / 1000), 8);
    // Five in 10: the textbook's 0.7776.
    expect(upperShare(5, 10)).toBeCloseTo(0.7776, 3);
    expect(upperShare(4, 4)).toBe(1);
  });

  it('ratios average so that twice and half cancel', () => {
    expect(estimateRatio([[2, 0.5]]).value).toBeCloseTo(1);
    expect(studentT(1000)).toBe(1.96);
  });
});
