// A circuit breaker. Closed: the replica may get work. Open: it may not, until a probe succeeds. Half-open: one call at a time, until one
// succeeds. A broken connection opens it at once, bad answers after a few in a row. Probes come at growing, jittered intervals that only a
// real success resets.

import type { Fault } from '../base/fault.ts';

export type BreakerState = 'closed' | 'half-open' | 'open';

/** `connection`: refused, broken before an answer, or hanging; `answer`: a 5xx, a cut stream, garbage. */
type Failure = 'connection' | 'answer';

export function failureOf({ code }: Fault): Failure | undefined {
  if (code === 'unavailable' || code === 'timeout') return 'connection';
  return code === 'internal' || code === 'protocol' ? 'answer' : undefined;
}

const answersInARow = 3;
const firstProbeMs = 250;
const longestProbeMs = 30_000;

export class CircuitBreaker {
  #state: BreakerState;
  #strikes = 0;
  #backOff = 0;
  #reason: string | undefined;
  probeAtMs: number;
  sinceMs: number;

  constructor(reachable: boolean, nowMs: number, reason?: string) {
    this.#state = reachable ? 'closed' : 'open';
    this.probeAtMs = nowMs;
    this.sinceMs = nowMs;
    this.#reason = reason;
  }

  get state(): BreakerState {
    return this.#state;
  }

  get reason(): string | undefined {
    return this.#state === 'open' ? this.#reason : undefined;
  }

  succeeded(nowMs: number): void {
    this.#strikes = 0;
    if (this.#state === 'open') return;
    this.#backOff = 0;
    this.#become('closed', nowMs);
  }

  failed(failure: Failure, reason: string, nowMs: number, chance: number): void {
    this.#strikes += 1;
    const out = failure === 'connection' || this.#state === 'half-open' || this.#strikes >= answersInARow;
    if (this.#state === 'open' || !out) return;
    this.#reason = reason;
    this.#become('open', nowMs);
    this.#postpone(nowMs, chance);
  }

  probed(ok: boolean, reason: string | undefined, nowMs: number, chance: number): void {
    if (this.#state !== 'open') return;
    if (ok) {
      this.#strikes = 0;
      this.#become('half-open', nowMs);
    } else {
      this.#reason = reason ?? this.#reason;
      this.#postpone(nowMs, chance);
    }
  }

  #become(state: BreakerState, nowMs: number): void {
    if (this.#state !== state) this.sinceMs = nowMs;
    this.#state = state;
  }

  #postpone(nowMs: number, chance: number): void {
    this.probeAtMs = nowMs + backOffMs(this.#backOff, firstProbeMs, longestProbeMs, chance);
    this.#backOff += 1;
  }
}

/** Doubles from `firstMs` to `longestMs`; the later half of each interval is left to chance. */
export function backOffMs(attempt: number, firstMs: number, longestMs: number, chance: number): number {
  const intervalMs = Math.min(longestMs, firstMs * 2 ** attempt);
  return intervalMs * (0.5 + 0.5 * chance);
}
