// The searches of a runtime: which are live, which of them run, in which something has happened since their programs were last
// asked, and whether the last decision on the budget still holds. Facts alone; what is done about them is the loop's.

import { type Breakage, faultOf } from '../guard/guard.ts';
import type { Search, SearchKeeper } from '../search/search.ts';
import type { RuntimeOptions } from './options.ts';

export class SearchTable implements SearchKeeper {
  readonly #options: Pick<RuntimeOptions, 'wake' | 'onFault'>;
  readonly live = new Map<string, Search>();
  readonly running = new Map<string, Search>();
  /** Live ones that may have speculative strands by their own rules. */
  guessers = 0;
  /** Something changed on which the last decision rests. */
  isStale = false;
  readonly #touched = new Set<Search>();
  readonly broken = new Set<Search>();

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

  /** It has been admitted, its log has been read, and no part of it has thrown. */
  isRunning(search: Search): boolean {
    return this.running.get(search.id) === search && search.hasLog && !search.isBroken;
  }

  /** Something happened in it: it is looked at, and asked, in this step. */
  touch(search: Search): void {
    this.#touched.add(search);
  }

  /** Something changed without a message: the next step, soon, decides anew. */
  reconsider(): void {
    this.isStale = true;
    this.#options.wake?.();
  }

  /** Perhaps in the midst of a phase: the loop ends it between two of them. */
  broke(search: Search, breakage: Breakage): void {
    this.#options.onFault?.(search.id, faultOf(breakage));
    if (!this.isLive(search)) return;
    this.broken.add(search);
    this.reconsider();
  }

  /** One that is touched or removed while this is read is read, or not, accordingly. */
  get touched(): Iterable<Search> {
    return this.#touched;
  }

  takeTouched(): Search[] {
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  remove(search: Search): void {
    if (this.live.delete(search.id) && search.mayGuess) this.guessers -= 1;
    this.running.delete(search.id);
    this.#touched.delete(search);
    this.broken.delete(search);
    this.isStale = true;
  }
}
