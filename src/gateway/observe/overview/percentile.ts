// The nearest-rank percentile: a value that was measured, never one between two.

/** `sorted` rises and is not empty. */
export function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
