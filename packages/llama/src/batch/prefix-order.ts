// The order of runs that wait for a place in the batch: by lane and priority, then children of one parent together, parents in order of arrival
// (P4 §4.2: a cheap form of "next the one that shares the longest prefix"). Pure.

import { UrgencyQueue } from '@coppice/core/engine';
import type { WaitingRun } from './run.ts';

export class PrefixOrder {
  readonly #queue = new UrgencyQueue<number, WaitingRun>();
  /** Arrival of each parent's first waiting child. */
  readonly #parents = new Map<string, { first: number; waiting: number }>();

  get size(): number {
    return this.#queue.size;
  }

  add(run: WaitingRun): void {
    const { sequence, arrival } = run;
    const parent = this.#parents.get(parentOf(run)) ?? { first: arrival, waiting: 0 };
    parent.first = Math.min(parent.first, arrival);
    parent.waiting += 1;
    this.#parents.set(parentOf(run), parent);
    this.#queue.set(sequence.id, run, sequence.urgency, parent.first, arrival);
  }

  remove(id: number): WaitingRun | undefined {
    const run = this.#queue.delete(id);
    if (run === undefined) return undefined;
    const parent = this.#parents.get(parentOf(run))!;
    parent.waiting -= 1;
    if (parent.waiting === 0) this.#parents.delete(parentOf(run));
    return run;
  }

  inOrder(): Iterable<WaitingRun> {
    return this.#queue.inOrder();
  }
}

function parentOf({ sequence: { parent, search } }: WaitingRun): string {
  return `${parent} ${search}`;
}
