// The engine's slow clock: ends silent streams and probes replicas that are out. Runs only while there is something to look at.

import type { Timers } from '../../../base/clock.ts';
import { type Fault, fault } from '../../../base/fault.ts';
import type { Attempt } from '../flight/attempt.ts';
import { longestWholeTokens } from '../flight/call.ts';
import type { Replica } from './replica.ts';

interface WatchOptions {
  readonly firstTokenMs: number;
  readonly betweenTokensMs: number;
}

interface WatchListener {
  probed(replica: Replica, reason: Fault | undefined): void;
  tick(): void;
}

const tickMs = 1000;

export class Watch {
  readonly #timers: Timers;
  readonly #options: WatchOptions;
  readonly #replicas: readonly Replica[];
  #calledOff: (() => void) | undefined;
  #stopped = false;
  #listener: WatchListener | undefined;

  constructor(timers: Timers, options: WatchOptions, replicas: readonly Replica[]) {
    this.#timers = timers;
    this.#options = options;
    this.#replicas = replicas;
  }

  connect(listener: WatchListener): void {
    this.#listener = listener;
  }

  arm(): void {
    if (this.#stopped || this.#calledOff !== undefined) return;
    this.#calledOff = this.#timers.after(tickMs, () => this.#tick());
  }

  probeLater(replica: Replica): void {
    const delayMs = Math.max(0, replica.breaker.probeAtMs - this.#timers.nowMs());
    this.#timers.after(delayMs, () => void this.#probe(replica));
  }

  stop(): void {
    this.#stopped = true;
    this.#calledOff?.();
  }

  #tick(): void {
    this.#calledOff = undefined;
    const nowMs = this.#timers.nowMs();
    for (const replica of this.#replicas) {
      for (const attempt of [...replica.attempts]) this.#look(replica, attempt, nowMs);
    }
    this.#listener?.tick();
    // While servers are out, parked work must be given up in time.
    if (this.#replicas.some((each) => each.attempts.size > 0 || each.breaker.state === 'open')) this.arm();
  }

  #look(replica: Replica, attempt: Attempt, nowMs: number): void {
    const between = attempt.firstMs !== undefined && attempt.sendsTokens;
    const { firstTokenMs, betweenTokensMs } = this.#options;
    const pieces = attempt.call.delivery === 'whole' ? Math.ceil(attempt.call.maxTokens / longestWholeTokens) : 1;
    const limitMs = between ? betweenTokensMs : firstTokenMs * pieces;
    if (nowMs - attempt.lastMs < limitMs) return;
    const setting = between ? 'betweenTokensMs' : 'firstTokenMs';
    const message = `${replica.connection.url} sent nothing for ${limitMs} ms (${setting})`;
    attempt.fail(fault('timeout', message));
  }

  async #probe(replica: Replica): Promise<void> {
    if (this.#stopped) return;
    const reason = await replica.inspect();
    if (!this.#stopped) this.#listener?.probed(replica, reason);
  }
}
