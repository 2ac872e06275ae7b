// A heap of future events and the clock that they move. Each instant runs its events in the order of scheduling, then one
// reaction of the system under test (`react`: the runtime's step), repeated until nothing is due, then the late events (a GPU
// begins its next step). Nothing here is random.

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

  /** Runs at the end of an instant, after the reaction to everything else in it. */
  lateAt(timeMs: number, action: () => void): void {
    this.#schedule(timeMs, true, action);
  }

  run(react: () => void, options: { untilMs?: number; stop?: () => boolean } = {}): void {
    const { untilMs = Number.POSITIVE_INFINITY, stop } = options;
    for (let next = this.#heap.peek(); next !== undefined; next = this.#heap.peek()) {
      if (next.atMs > untilMs) break;
      this.clock.moveTo(next.atMs);
      this.#instants += 1;
      this.#happen(next.atMs, react);
      if (stop?.() === true) return;
    }
    if (untilMs < Number.POSITIVE_INFINITY) this.clock.moveTo(untilMs);
  }

  #happen(atMs: number, react: () => void): void {
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
