// When searches must be looked at though nothing arrives: their time limits and deadlines. An alarm of a search that has
// ended never rings.

import { Heap } from '../base/heap.ts';
import type { Roster } from './roster.ts';
import type { Search } from './search/search.ts';

export class Alarms {
  readonly #roster: Roster;
  readonly #heap = new Heap<{ readonly atMs: number; readonly search: Search }>((a, b) => a.atMs < b.atMs);

  constructor(roster: Roster) {
    this.#roster = roster;
  }

  set(atMs: number, search: Search): void {
    this.#heap.push({ atMs, search });
  }

  /** The searches whose time has come; each alarm rings once. */
  takeDue(nowMs: number): Search[] {
    const due: Search[] = [];
    for (let next = this.#next(); next !== undefined && next.atMs <= nowMs; next = this.#next()) {
      this.#heap.pop();
      due.push(next.search);
    }
    return due;
  }

  nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  #next() {
    let next = this.#heap.peek();
    while (next !== undefined && !this.#roster.isLive(next.search)) {
      this.#heap.pop();
      next = this.#heap.peek();
    }
    return next;
  }
}
