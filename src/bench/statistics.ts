// Percentiles, means and 95 % intervals, the few that reports need.

import { assert } from '../base/assert.ts';

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
