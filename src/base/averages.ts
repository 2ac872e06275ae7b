// Middles and percentiles of unsorted values.

import { assert } from './assert.ts';

/** The upper one where two are in the middle; there must be a value. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

export function meanOrZero(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The nearest-rank percentile: the smallest value that at least `percent` % of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  assert(values.length > 0, 'a percentile of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!;
}

export function mean(values: readonly number[]): number {
  assert(values.length > 0, 'a mean of nothing');
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
