// Latencies, tokens, accuracy and exits of a stream of served questions.

import { mean } from '@coppice/core/base';
import type { ExitKind } from '@coppice/core/log';
import { percentile } from '../statistics.ts';
import { type Served, tookMs } from './service.ts';

/** Share of requests, the first ones, that latencies leave out, since they meet an empty system. */
export const warmUpShare = 0.1;

export interface Latencies {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  /** Requests over makespan, all of them, as P0 §5.3 counts. */
  readonly throughputPerSecond: number;
}

export function latenciesOf({ served }: { readonly served: readonly Served[] }): Latencies {
  const warm = served.slice(Math.floor(warmUpShare * served.length));
  const took = warm.map(tookMs);
  const firstMs = Math.min(...served.map(({ arrivalMs }) => arrivalMs));
  const lastMs = Math.max(...served.map(({ endedMs }) => endedMs));
  return {
    p50Ms: percentile(took, 50),
    p90Ms: percentile(took, 90),
    p99Ms: percentile(took, 99),
    throughputPerSecond: (served.length * 1000) / (lastMs - firstMs),
  };
}

export interface Yield {
  readonly tokens: number;
  readonly rollouts: number;
  readonly accuracy: number;
  /** One character per question, 1 where it was answered right. */
  readonly right: string;
  /** Shares of all requests, in percent. */
  readonly exits: Readonly<Partial<Record<ExitKind, number>>>;
}

export function yieldOf({ served }: { readonly served: readonly Served[] }): Yield {
  const exits: Partial<Record<ExitKind, number>> = {};
  for (const { exit } of served) exits[exit] = (exits[exit] ?? 0) + 100 / served.length;
  return {
    tokens: mean(served.map(({ tokens }) => tokens)),
    rollouts: mean(served.map(({ rollouts }) => rollouts)),
    accuracy: 100 * mean(served.map(({ correct }) => (correct ? 1 : 0))),
    right: served.map(({ correct }) => (correct ? '1' : '0')).join(''),
    exits,
  };
}
