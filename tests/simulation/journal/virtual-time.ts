// Virtual time for asynchronous code: an event at a time, and before the next one every promise that follows from it.

import type { Clock } from '../../../src/base/clock.ts';
import { Heap } from '../../../src/base/heap.ts';

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

export class VirtualTime implements Clock {
  readonly #due = new Heap<Due>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order));
  #nowMs = 0;
  #order = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, callback: () => void): void {
    this.#order += 1;
    this.#due.push({ atMs: Math.max(atMs, this.#nowMs), order: this.#order, callback });
  }

  after(delayMs: number, callback: () => void): void {
    this.at(this.#nowMs + delayMs, callback);
  }

  /** Until this time, or until `isOver` says so. */
  async run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    await settled();
    for (let next = this.#due.peek(); next !== undefined && next.atMs <= untilMs; next = this.#due.peek()) {
      this.#due.pop();
      this.#nowMs = next.atMs;
      next.callback();
      await settled();
      if (isOver()) return;
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
