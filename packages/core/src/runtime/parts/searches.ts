// The searches of a runtime: which are live, running, touched or broken, and whether the last decision still holds. Facts alone.

import { type Breakage, faultOf } from '../guard/guard.ts';
import type { Search } from '../search/search.ts';
import type { RuntimeOptions } from './options.ts';

export class SearchTable {
  readonly #options: Pick<RuntimeOptions, 'wake' | 'onFault'>;
  readonly live = new Map<string, Search>();
  readonly running = new Map<string, Search>();
  guessers = 0;
  /** Outcomes told since the last decision. */
  told = 0;
  isStale = false;
  /** May be iterated while searches are touched or removed. */
  readonly touched = new Set<Search>();
  readonly broken = new Set<Search>();
  /** Ended; some of its requests may be unanswered. */
  readonly unsettled = new Set<Search>();

  constructor(options: Pick<RuntimeOptions, 'wake' | 'onFault'>) {
    this.#options = options;
  }

  enter(search: Search): void {
    this.live.set(search.id, search);
    if (search.mayGuess) this.guessers += 1;
  }

  isLive(search: Search): boolean {
    return this.live.get(search.id) === search;
  }

  isRunning(search: Search): boolean {
    return this.running.get(search.id) === search && search.hasLog && !search.isBroken;
  }

  touch(search: Search): void {
    this.touched.add(search);
  }

  reconsider(): void {
    this.isStale = true;
    this.#options.wake?.();
  }

  /** May happen in the middle of a phase; the loop ends the search between phases. */
  broke(search: Search, breakage: Breakage): void {
    this.#options.onFault?.(search.id, faultOf(breakage));
    if (!this.isLive(search)) return;
    this.broken.add(search);
    this.reconsider();
  }

  takeTouched(): Search[] {
    const touched = [...this.touched];
    this.touched.clear();
    return touched;
  }

  remove(search: Search): void {
    if (this.live.delete(search.id) && search.mayGuess) this.guessers -= 1;
    this.running.delete(search.id);
    this.touched.delete(search);
    this.broken.delete(search);
    this.isStale = true;
  }
}
