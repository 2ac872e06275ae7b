// 95 % intervals for reports.

import { mean } from '@coppice/core/base';

export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const z = 1.96; // two-sided 95 %

/** Wilson's 95 % interval of a share. */
export function wilson(hits: number, total: number): Interval {
  if (total === 0) return { value: Number.NaN, low: 0, high: 1 };
  const share = hits / total;
  const centre = share + (z * z) / (2 * total);
  const spread = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  const scale = 1 + (z * z) / total;
  const low = Math.max(0, (centre - spread) / scale);
  return { value: share, low, high: Math.min(1, (centre + spread) / scale) };
}

/** A quantile of sorted values with its 95 % interval from the order statistics around it. */
export function quantile(sorted: readonly number[], share: number): Interval {
  const last = sorted.length - 1;
  if (last < 0) return { value: Number.NaN, low: Number.NaN, high: Number.NaN };
  const at = (rank: number) => sorted[Math.max(0, Math.min(last, rank))]!;
  const rank = Math.ceil(share * sorted.length) - 1;
  const spread = z * Math.sqrt(sorted.length * share * (1 - share));
  return { value: at(rank), low: at(Math.floor(rank - spread)), high: at(Math.ceil(rank + spread)) };
}

/** The mean of differences with its 95 % interval. If no pair differs, the interval is that of one doubtful pair. */
export function meanDifference(differences: readonly number[]): Interval {
  const { length } = differences;
  if (length < 2) return { value: Number.NaN, low: -1, high: 1 };
  const value = differences.reduce((sum, each) => sum + each, 0) / length;
  const variance = differences.reduce((sum, each) => sum + (each - value) ** 2, 0) / (length - 1);
  const half = z * Math.sqrt(Math.max(variance, 1 / length) / length);
  return { value, low: value - half, high: value + half };
}

/**
 * A cautious `meanDifference` for claims: one more pair on each side (Bonett and Price's adjustment), so that a few
 * agreeing pairs prove nothing. `most`: the largest possible difference of a pair.
 */
export function cautiousDifference(differences: readonly number[], most = 1): Interval {
  const { low, high } = meanDifference([...differences, most, -most]);
  const value = differences.length === 0 ? Number.NaN : mean(differences);
  return { value, low: Math.max(low, -most), high: Math.min(high, most) };
}
