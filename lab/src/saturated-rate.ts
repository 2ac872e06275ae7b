// Tokens per second of a system while searches wait.

/** At the end of a search: all tokens generated so far, and the number of waiting searches. */
export interface SearchEnd {
  readonly atMs: number;
  readonly tokens: number;
  readonly waiting: number;
}

/** Measured from the end of the ramp (the first fifth of the searches that end while others wait) to the last such end. */
export function saturatedRate(ends: readonly SearchEnd[]): number | undefined {
  const saturated = ends.filter(({ waiting }) => waiting > 0);
  const from = saturated[Math.floor(saturated.length / 5)];
  const to = saturated.at(-1);
  if (from === undefined || to === undefined || to.atMs <= from.atMs) return undefined;
  return ((to.tokens - from.tokens) * 1000) / (to.atMs - from.atMs);
}
