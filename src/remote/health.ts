// Whether a replica may get work: up, down until a probe succeeds, or on trial with a single call until that one has
// succeeded. A connection that fails or hangs takes it out at once; bad answers take it out after a few in a row.
// Probes come at growing, jittered intervals; only a real success resets them, so a replica that answers its probe and
// then garbage is tried ever more rarely. Time and chance are arguments.

import type { Fault } from '../base/fault.ts';

export type HealthState = 'up' | 'trial' | 'down';

/** `connection`: refused, broken before an answer, or hanging; `answer`: a 5xx, a cut stream, garbage. */
export type Failure = 'connection' | 'answer';

/** Undefined where the server is not to blame. */
export function failureOf({ code }: Fault): Failure | undefined {
  if (code === 'unavailable' || code === 'timeout') return 'connection';
  return code === 'internal' || code === 'protocol' ? 'answer' : undefined;
}

const answersInARow = 3;
const firstProbeMs = 250;
const longestProbeMs = 30_000;

export class Health {
  #state: HealthState;
  #strikes = 0;
  #backOff = 0;
  #probeAtMs = 0;
  #reason: string | undefined;
  #sinceMs: number;

  /** Begins down, due for a probe at once, when it could not be reached at the start. */
  constructor(reachable: boolean, nowMs: number, reason?: string) {
    this.#state = reachable ? 'up' : 'down';
    this.#probeAtMs = nowMs;
    this.#sinceMs = nowMs;
    this.#reason = reason;
  }

  get state(): HealthState {
    return this.#state;
  }

  /** Why it is down, for messages. */
  get reason(): string | undefined {
    return this.#state === 'down' ? this.#reason : undefined;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  get probeAtMs(): number {
    return this.#probeAtMs;
  }

  succeeded(nowMs: number): void {
    this.#strikes = 0;
    if (this.#state === 'down') return;
    this.#backOff = 0;
    this.#become('up', nowMs);
  }

  /** `chance` is uniform in [0, 1). */
  failed(failure: Failure, reason: string, nowMs: number, chance: number): void {
    this.#strikes += 1;
    const out = failure === 'connection' || this.#state === 'trial' || this.#strikes >= answersInARow;
    if (this.#state === 'down' || !out) return;
    this.#reason = reason;
    this.#become('down', nowMs);
    this.#postpone(nowMs, chance);
  }

  probed(ok: boolean, reason: string | undefined, nowMs: number, chance: number): void {
    if (this.#state !== 'down') return;
    if (ok) {
      this.#strikes = 0;
      this.#become('trial', nowMs);
    } else {
      this.#reason = reason ?? this.#reason;
      this.#postpone(nowMs, chance);
    }
  }

  #become(state: HealthState, nowMs: number): void {
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
