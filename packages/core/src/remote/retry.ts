// When failed work is tried again: a few times if a server tried and failed, and as long as patience lasts if it was out or full.

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

export function retryDelayMs(attempts: number, chance: number): number {
  return backOffMs(attempts, firstRetryMs, longestRetryMs, chance);
}
