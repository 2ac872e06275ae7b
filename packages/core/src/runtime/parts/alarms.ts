// When searches must be looked at though nothing arrives: their time limits and deadlines. An alarm of a search that has
// ended never rings. An alarm knows its search by name alone: one that waits for a far deadline keeps no tree of an ended search in memory.

import { Heap } from '../../base/heap.ts';
import type { Search } from '../search/search.ts';
import type { SearchTable } from './searches.ts';

export class Alarms {
  readonly #searches: SearchTable;
  readonly #heap = new Heap<{ readonly atMs: number; readonly search: string }>((a, b) => a.atMs < b.atMs);

  constructor(searches: SearchTable) {
    this.#searches = searches;
  }

  set(atMs: number, { id }: Search): void {
    this.#heap.push({ atMs, search: id });
  }

  /** The searches whose time has come; each alarm rings once. */
  takeDue(nowMs: number): Search[] {
    const due: Search[] = [];
    for (let next = this.#next(); next !== undefined && next.atMs <= nowMs; next = this.#next()) {
      this.#heap.pop();
      due.push(this.#searches.live.get(next.search)!);
    }
    return due;
  }

  nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  #next() {
    let next = this.#heap.peek();
    while (next !== undefined && !this.#searches.live.has(next.search)) {
      this.#heap.pop();
      next = this.#heap.peek();
    }
    return next;
  }
}
