// Virtual time for asynchronous code: one event at a time, and before the next one every promise that follows from it. Events that touch no promise
// say so, and cost nothing more. Events of one moment run in the order of scheduling; late ones run after all others of their moment.

import { Heap } from '@coppice/core/base';

/** False where no promise can follow from it. */
type Action = () => unknown;

/** A scheduled event, which can be cancelled. */
export interface Due {
  readonly atMs: number;
  readonly isLate: boolean;
  readonly order: number;
  /** Undefined once it was called off: what it would have touched is free. */
  action: Action | undefined;
}

/**
 * Turns of the real loop that are asked for at once: between two of them every promise settles, as it would between two rounds of the
 * loop, and a round costs a look at all sockets.
 */
const turnsAhead = 64;

/** Fewer that were called off are left where they are until their time comes. */
const manyOff = 1000;

export class VirtualTime {
  #due = new Heap<Due>(before);
  #off = 0;
  #nowMs = 0;
  #order = 0;
  #happened = 0;

  /** As clocks have it. */
  readonly clock = { nowMs: () => this.#nowMs };

  /** As simulated GPUs have it: what happens inside them touches no promise. */
  readonly gpu;

  constructor() {
    const quiet = (action: () => void) => () => {
      action();
      return false;
    };
    const nowMs = () => this.#nowMs;
    this.gpu = {
      get nowMs() {
        return nowMs();
      },
      at: (atMs: number, action: () => void) => void this.at(atMs, quiet(action)),
      lateAt: (atMs: number, action: () => void) => void this.#push(atMs, true, quiet(action)),
    };
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** What a run in virtual time pays for. */
  get happened(): number {
    return this.#happened;
  }

  at(atMs: number, action: Action): Due {
    return this.#push(atMs, false, action);
  }

  after(delayMs: number, action: Action): Due {
    return this.#push(this.#nowMs + delayMs, false, action);
  }

  /** Most timeouts are: kept, they would hold on to all that their requests have touched. */
  callOff(due: Due): void {
    if (due.action === undefined) return;
    due.action = undefined;
    this.#off += 1;
    if (this.#off < manyOff || this.#off < this.#due.size / 2) return;
    const kept = new Heap<Due>(before);
    for (let next = this.#due.pop(); next !== undefined; next = this.#due.pop())
      if (next.action !== undefined) kept.push(next);
    this.#due = kept;
    this.#off = 0;
  }

  /** Until this time, or until `isOver` says so. */
  run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      let isEnded = false;
      const end = (settle: () => void) => {
        isEnded = true;
        settle();
      };
      const turn = () => {
        if (isEnded) return;
        try {
          if (this.#next(untilMs) && !isOver()) return;
          end(resolve);
        } catch (error) {
          end(() => reject(error));
        }
      };
      const turns = () => {
        for (let at = 1; at < turnsAhead; at += 1) setImmediate(turn);
        setImmediate(() => {
          turn();
          if (!isEnded) turns();
        });
      };
      turns();
    });
  }

  /** Lets happen what is next, up to the first from which a promise may follow. False where nothing is left until then. */
  #next(untilMs: number): boolean {
    for (let next = this.#due.peek(); next !== undefined && next.atMs <= untilMs; next = this.#due.peek()) {
      this.#due.pop();
      const { action } = next;
      if (action === undefined) {
        this.#off -= 1;
        continue;
      }
      next.action = undefined;
      this.#nowMs = next.atMs;
      this.#happened += 1;
      if (action() !== false) return true;
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
    return false;
  }

  #push(atMs: number, isLate: boolean, action: Action): Due {
    this.#order += 1;
    const due = { atMs: Math.max(atMs, this.#nowMs), isLate, order: this.#order, action };
    this.#due.push(due);
    return due;
  }
}

function before(a: Due, b: Due): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  if (a.isLate !== b.isLate) return b.isLate;
  return a.order < b.order;
}
