// How much a policy can serve, from a trial in which requests wait.

import { mean, type Served } from 'coppice/internals';
import type { TrialResult } from './trial.ts';

/**
 * Requests per second that can be sustained: the rate at which tokens are generated while searches wait, over the tokens
 * of a mean request. Counting ends instead would favour policies that end their easy searches first.
 */
export function capacityOf(result: Pick<TrialResult, 'served' | 'saturatedTokensPerSecond'>): number | undefined {
  const { saturatedTokensPerSecond: rate, served } = result;
  return rate === undefined ? undefined : rate / mean(served.map(({ tokens }: Served) => tokens));
}

/** Requests over the time until the last has ended, as `arrivals` reads it off a real server: where too few of them wait for a rate of tokens. */
export function wholeRate({ served }: { readonly served: readonly Pick<Served, 'endedMs'>[] }): number {
  const last = Math.max(...served.map(({ endedMs }) => endedMs));
  return (served.length * 1000) / last;
}
