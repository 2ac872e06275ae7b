// The capacity of a policy, from a trial in which requests wait.

import { mean } from '@coppice/core/base';
import type { Served } from '../service/index.ts';
import type { TrialResult } from './trial.ts';

type CapacityRun = Pick<TrialResult, 'saturatedTokensPerSecond'> & {
  readonly served: readonly Pick<Served, 'tokens'>[];
};

/**
 * Sustainable requests per second: the rate of generated tokens while searches wait, over the tokens of a mean request. Counting ends
 * instead would favour policies that end their easy searches first.
 */
export function capacityOf(result: CapacityRun): number | undefined {
  const { saturatedTokensPerSecond: rate, served } = result;
  return rate === undefined ? undefined : rate / mean(served.map(({ tokens }) => tokens));
}

/** Ends while others wait that tell a rate: ten are within 7 % of what 600 requests say (lab/docs/simulator.md). */
const enoughEnds = 10;

/**
 * The rate that `1p` multiplies, in the simulator and on real servers: the sustained one. If too few requests end while others wait, it is
 * requests over the time until the last end, with its idle tail.
 */
export function servedRate(backlog: BacklogEnds, endedWhileOthersWaited: number): number {
  const sustained = endedWhileOthersWaited < enoughEnds ? undefined : capacityOf(backlog);
  return sustained ?? wholeRate(backlog);
}

/** Results of requests that all came at once. */
export interface BacklogEnds extends Pick<TrialResult, 'saturatedTokensPerSecond'> {
  readonly served: readonly Pick<Served, 'tokens' | 'endedMs'>[];
}

function wholeRate({ served }: BacklogEnds): number {
  const last = Math.max(...served.map(({ endedMs }) => endedMs));
  return (served.length * 1000) / last;
}
