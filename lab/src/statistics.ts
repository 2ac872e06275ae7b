// Means over settings and seeds with 95 % intervals, differences of pairs and rank correlations, for reports of experiments.

import { assert, mean } from '@coppice/core/base';

/** A mean with the half width of its 95 % interval (Student's t); `half` is undefined if every group has a single value. */
export interface Estimate {
  readonly value: number;
  readonly half: number | undefined;
}

/**
 * The mean over groups (settings) of the means within them (over seeds). The interval covers the variation between seeds, not between
 * settings: its variance is pooled from the deviations within the groups.
 */
export function estimate(groups: readonly (readonly number[])[]): Estimate {
  const value = mean(groups.map(mean));
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  const degrees = count - groups.length;
  if (degrees < 1) return { value, half: undefined };
  const squares = groups.map((group) => {
    const middle = mean(group);
    return group.reduce((sum, each) => sum + (each - middle) ** 2, 0);
  });
  const variance = squares.reduce((sum, each) => sum + each, 0) / degrees;
  const weights = groups.reduce((sum, group) => sum + 1 / group.length, 0) / groups.length ** 2;
  return { value, half: studentT(degrees) * Math.sqrt(variance * weights) };
}

/** The same for positive values that multiply (times, rates, ratios), averaged as logarithms. */
export function estimateRatio(groups: readonly (readonly number[])[]): Estimate {
  const { value, half } = estimate(groups.map((group) => group.map(Math.log)));
  const ratio = Math.exp(value);
  return { value: ratio, half: half === undefined ? undefined : (ratio * (Math.exp(half) - Math.exp(-half))) / 2 };
}

/** The mean of paired differences with its 95 % interval; if all pairs are equal, the interval of one doubtful pair. */
export function meanDifference(differences: readonly number[]) {
  const { length } = differences;
  if (length < 2) return { value: Number.NaN, low: -1, high: 1 };
  const value = mean(differences);
  const variance = differences.reduce((sum, each) => sum + (each - value) ** 2, 0) / (length - 1);
  const half = 1.96 * Math.sqrt(Math.max(variance, 1 / length) / length);
  return { value, low: value - half, high: value + half };
}

// Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom.
const studentTable = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

export function studentT(degrees: number): number {
  assert(degrees >= 1, 'an interval needs a degree of freedom');
  return studentTable[degrees - 1] ?? 1.96;
}

/** Upper end of the one-sided 95 % interval of a share seen `count` times in `of` (Clopper and Pearson): 3 / `of` if never seen. */
export function upperShare(count: number, of: number): number {
  if (count >= of) return 1;
  let [low, high] = [count / of, 1];
  for (let step = 0; step < 60; step += 1) {
    const share = (low + high) / 2;
    if (chanceOfAtMost(count, of, share) > 0.05) low = share;
    else high = share;
  }
  return high;
}

function chanceOfAtMost(count: number, of: number, share: number): number {
  let [log, sum] = [of * Math.log1p(-share), 0];
  for (let at = 0; at <= count; at += 1) {
    sum += Math.exp(log);
    log += Math.log((of - at) / (at + 1)) + Math.log(share) - Math.log1p(-share);
  }
  return sum;
}

/** Spearman's correlation of the orders of two lists, from -1 to 1; 0 if one has no order. */
export function rankCorrelation(left: readonly number[], right: readonly number[]): number {
  assert(left.length === right.length, 'a rank correlation is of pairs');
  const [ranksLeft, ranksRight] = [ranksOf(left), ranksOf(right)];
  const middle = (left.length + 1) / 2;
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, rank, at) => sum + (rank - middle) * (b[at]! - middle), 0);
  const spread = Math.sqrt(product(ranksLeft, ranksLeft) * product(ranksRight, ranksRight));
  return spread === 0 ? 0 : product(ranksLeft, ranksRight) / spread;
}

/** From 1; equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Array<number>(values.length);
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && values[order[to]!] === values[order[from]!]) to += 1;
    for (let at = from; at < to; at += 1) ranks[order[at]!] = (from + 1 + to) / 2;
  }
  return ranks;
}

/** The nearest-rank percentile: the smallest value that at least `percent` % of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  assert(values.length > 0, 'a percentile of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!;
}
