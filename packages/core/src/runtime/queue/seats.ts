// The strands that running searches need, and this process's part of the budget. A smaller part takes nothing from running
// searches. Invariant: natural widths of running searches, each cut to the budget in force, fit that budget.

import { assert } from '../../base/assert.ts';

interface RunningSeats {
  naturalWidth: number;
  count: number;
}

export class Seats {
  readonly #most: number;
  readonly #running = new Map<string, RunningSeats>();
  #part: number;
  held = 0;

  constructor(budget: number) {
    this.#most = budget;
    this.#part = budget;
  }

  budget(others: number): number {
    return Math.max(this.#part, this.held + others);
  }

  allow(strands: number): void {
    assert(strands >= 1 && strands <= this.#most, `a part of ${strands} of ${this.#most} strands`);
    const isMore = strands > this.#part;
    this.#part = strands;
    if (isMore) for (const seats of this.#running.values()) this.#resize(seats);
  }

  take(id: string, naturalWidth: number): void {
    const seats = { naturalWidth, count: 0 };
    this.#running.set(id, seats);
    this.#resize(seats);
  }

  /** A search that comes to its end needs no more than what it may still open. */
  need(id: string, most: number): void {
    const seats = this.#running.get(id);
    if (seats === undefined || seats.naturalWidth <= most) return;
    seats.naturalWidth = Math.max(1, most);
    this.held -= seats.count;
    seats.count = Math.min(seats.count, seats.naturalWidth);
    this.held += seats.count;
  }

  give(id: string): void {
    this.held -= this.#running.get(id)?.count ?? 0;
    this.#running.delete(id);
  }

  #resize(seats: RunningSeats): void {
    const count = Math.max(seats.count, Math.min(seats.naturalWidth, this.#part));
    this.held += count - seats.count;
    seats.count = count;
  }
}
