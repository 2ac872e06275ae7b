import { describe, expect, it } from 'vitest';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatEvidence,
  formatRatio,
  formatScore,
  formatStrands,
} from './words.ts';

describe('numbers in words', () => {
  it('are short and never longer than they are exact', () => {
    expect([0, 999, 9999, 10_000, 12_345, 999_499, 1_000_000, 2.5e9].map(formatCount)).toEqual([
      ...['0', '999', '9,999', '10k', '12.3k', '999k', '1M', '2.5G'],
    ]);
    expect([0, 999, 1000, 12_340, 61_000, 3_660_000].map(formatDuration)).toEqual([
      ...['0 ms', '999 ms', '1.00 s', '12.3 s', '1 min 1 s', '1 h 1 min'],
    ]);
    expect([0, 900, 40_960, 2_500_000, 3e9].map(formatBytes)).toEqual(['0 kB', '1 kB', '41 kB', '2.5 MB', '3 GB']);
    expect([null, undefined, 0, 0.29, 0.899, 1].map(formatScore)).toEqual(['–', '–', '0.00', '0.29', '0.89', '1.00']);
    expect([0, 30_000, 120_000, 7_200_000, 200_000_000].map(formatAgo)).toEqual([
      ...['now', '30 s ago', '2 min ago', '2 h ago', '2 d ago'],
    ]);
  });

  it('never show more figures than a ratio has, nor `6 of 1` strands', () => {
    expect([0.333, 4, 12.34, 11_900.75].map(formatRatio)).toEqual(['× 0.33', '× 4.00', '× 12.3', '× 11.9k']);
    expect([formatStrands(1, 6), formatStrands(6, 1), formatStrands(0, 0)]).toEqual(['1 of 6', '6, 1 allowed', '0']);
  });

  it('do not lift evidence over a threshold that it did not reach', () => {
    expect(formatEvidence(0.89999)).toBe('0.899');
    expect(formatEvidence(64)).toBe('64');
    expect(formatEvidence('caller')).toBe('caller');
  });
});
