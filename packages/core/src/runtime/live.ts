// Runs a runtime in real time: a step soon after anything is posted, and one when the next time limit is due. Several
// posts in one turn of the event loop cause one step.

import type { Clock } from '../base/clock.ts';
import type { Runtime } from './runtime.ts';

export const systemClock: Clock = { nowMs: () => performance.timeOrigin + performance.now() };

export class LiveLoop {
  #runtime: Runtime | undefined;
  #pending: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #stopped = false;
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  readonly wake = (): void => {
    if (this.#pending !== undefined || this.#stopped) return;
    this.#pending = setImmediate(() => {
      this.#pending = undefined;
      this.#turn();
    });
  };

  drive(runtime: Runtime): void {
    this.#runtime = runtime;
    this.wake();
  }

  stop(): void {
    this.#stopped = true;
    clearImmediate(this.#pending);
    clearTimeout(this.#timer);
  }

  #turn(): void {
    if (this.#stopped || this.#runtime === undefined) return;
    this.#runtime.step();
    this.#setTimer(this.#runtime.nextWakeMs());
  }

  #setTimer(atMs: number | undefined): void {
    if (atMs === this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs ?? Number.POSITIVE_INFINITY;
    if (atMs === undefined) return;
    // A timer may fire a little early; the step then finds nothing due, and the next turn sets the timer again.
    const delayMs = Math.min(Math.max(1, Math.ceil(atMs - this.#clock.nowMs())), 2 ** 31 - 1);
    this.#timer = setTimeout(() => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.#turn();
    }, delayMs);
  }
}
