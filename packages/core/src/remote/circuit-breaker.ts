// A circuit breaker: whether a replica may get work. Closed: it may. Open: it may not, until a probe succeeds. Half-open:
// one call at a time, until one has succeeded. A connection that fails or hangs opens it at once, bad answers after a few
// in a row. Probes come at growing, jittered intervals; only a real success resets them, so a replica that answers its
// probe and then garbage is tried ever more rarely. Time and chance are arguments.

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
  #probeAtMs = 0;
  #reason: string | undefined;
  #sinceMs: number;

  /** Begins down, due for a probe at once, when it could not be reached at the start. */
  constructor(reachable: boolean, nowMs: number, reason?: string) {
    this.#state = reachable ? 'closed' : 'open';
    this.#probeAtMs = nowMs;
    this.#sinceMs = nowMs;
    this.#reason = reason;
  }

  get state(): BreakerState {
    return this.#state;
  }

  get reason(): string | undefined {
    return this.#state === 'open' ? this.#reason : undefined;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  get probeAtMs(): number {
    return this.#probeAtMs;
  }

  succeeded(nowMs: number): void {
    this.#strikes = 0;
    if (this.#state === 'open') return;
    this.#backOff = 0;
    this.#become('closed', nowMs);
  }

  /** `chance` is uniform in [0, 1). */
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
    if (this.#state !== state) this.#sinceMs = nowMs;
    this.#state = state;
  }

  #postpone(nowMs: number, chance: number): void {
    this.#probeAtMs = nowMs + backOffMs(this.#backOff, firstProbeMs, longestProbeMs, chance);
    this.#backOff += 1;
  }
}

/** Doubles from `firstMs` to `longestMs`; the later half of each interval is left to chance. */
export function backOffMs(attempt: number, firstMs: number, longestMs: number, chance: number): number {
  const intervalMs = Math.min(longestMs, firstMs * 2 ** attempt);
  return intervalMs * (0.5 + 0.5 * chance);
}
