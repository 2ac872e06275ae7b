// Deadlines of searches. An alarm knows its search by id alone, so that a far deadline keeps no ended tree in memory.

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
