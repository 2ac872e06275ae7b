// Timers that a test moves by hand.

import type { Timers } from '../../packages/core/src/base/clock.ts';

/** The clock stands still until the test moves it; due callbacks then run in the order of their times. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  #next = 0;
  readonly #alarms = new Map<number, { readonly atMs: number; readonly callback: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const id = this.#next;
    this.#next += 1;
    this.#alarms.set(id, { atMs: this.#nowMs + Math.max(0, delayMs), callback });
    return () => this.#alarms.delete(id);
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let due = this.#earliest(untilMs); due !== undefined; due = this.#earliest(untilMs)) {
      const { atMs, callback } = this.#alarms.get(due)!;
      this.#alarms.delete(due);
      this.#nowMs = Math.max(this.#nowMs, atMs);
      callback();
    }
    this.#nowMs = untilMs;
  }

  #earliest(untilMs: number): number | undefined {
    let best: number | undefined;
    for (const [id, { atMs }] of this.#alarms) {
      if (atMs <= untilMs && (best === undefined || atMs < this.#alarms.get(best)!.atMs)) best = id;
    }
    return best;
  }
}
