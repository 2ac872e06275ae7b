// Virtual time: a heap of future events that move the clock. An instant first runs its events in the order of scheduling, then `react` once
// (the system under test: the runtime's step), and repeats both until nothing is due. Late events follow: a GPU begins its next step.
// Nothing here is random.

import { assert, Heap, VirtualClock } from '@coppice/core/base';

interface Happening {
  readonly atMs: number;
  readonly late: boolean;
  readonly order: number;
  readonly action: () => void;
}

/** The part of a world that a simulated GPU uses. */
export type Happenings = Pick<World, 'nowMs' | 'at' | 'lateAt'>;

export class World {
  readonly clock: VirtualClock;
  readonly #heap = new Heap<Happening>(before);
  #order = 0;
  #instants = 0;

  constructor(startMs = 0) {
    this.clock = new VirtualClock(startMs);
  }

  get nowMs(): number {
    return this.clock.nowMs();
  }

  get instants(): number {
    return this.#instants;
  }

  at(timeMs: number, action: () => void): void {
    this.#schedule(timeMs, false, action);
  }

  /** Runs the action at the end of an instant, after all other events and reactions. */
  lateAt(timeMs: number, action: () => void): void {
    this.#schedule(timeMs, true, action);
  }

  run(react: () => void, options: { untilMs?: number; stop?: () => boolean } = {}): void {
    const { untilMs = Number.POSITIVE_INFINITY, stop } = options;
    for (let next = this.#heap.peek(); next !== undefined; next = this.#heap.peek()) {
      if (next.atMs > untilMs) break;
      this.clock.moveTo(next.atMs);
      this.#instants += 1;
      this.#runInstant(next.atMs, react);
      if (stop?.() === true) return;
    }
    if (untilMs < Number.POSITIVE_INFINITY) this.clock.moveTo(untilMs);
  }

  #runInstant(atMs: number, react: () => void): void {
    do {
      while (this.#dueAt(atMs, false)) this.#heap.pop()!.action();
      react();
    } while (this.#dueAt(atMs, false));
    while (this.#dueAt(atMs, true)) this.#heap.pop()!.action();
  }

  #dueAt(atMs: number, late: boolean): boolean {
    const next = this.#heap.peek();
    return next !== undefined && next.atMs <= atMs && next.late === late;
  }

  #schedule(timeMs: number, late: boolean, action: () => void): void {
    assert(timeMs >= this.nowMs, `an event at ${timeMs} ms is in the past of ${this.nowMs} ms`);
    this.#heap.push({ atMs: timeMs, late, order: this.#order, action });
    this.#order += 1;
  }
}

function before(a: Happening, b: Happening): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  if (a.late !== b.late) return b.late;
  return a.order < b.order;
}
