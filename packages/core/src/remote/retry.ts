// When work that failed is tried again, by engine and verifier alike: a few times where a server tried and failed, and as
// long as patience lasts where all that is known is that it was out or full.

import type { Fault } from '../base/fault.ts';
import { backOffMs } from './circuit-breaker.ts';

export interface Tried {
  readonly attempts: number;
  readonly sinceMs: number;
}

interface RetryOptions {
  readonly attempts: number;
  readonly patienceMs: number;
}

const firstRetryMs = 100;
const longestRetryMs = 10_000;

/** A server that is out or full has not tried. */
export function attemptsAfter(attempts: number, { code }: Fault): number {
  return code === 'unavailable' || code === 'overloaded' ? attempts : attempts + 1;
}

export function mayRetry(reason: Fault, { attempts, sinceMs }: Tried, options: RetryOptions, nowMs: number): boolean {
  return reason.retryable && attempts < options.attempts && nowMs - sinceMs < options.patienceMs;
}

/** The pause before the same server is asked again; `chance` is uniform in [0, 1). */
export function retryDelayMs(attempts: number, chance: number): number {
  return backOffMs(attempts, firstRetryMs, longestRetryMs, chance);
}
