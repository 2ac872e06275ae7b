// Replays one search to any moment of its log: the fold of the first n events. Forward costs only the new events; backward begins
// again from the first, which a few thousand events make cheap. Never changes the log.

import type { LoggedEvent } from './events.ts';
import { SearchFold } from './fold.ts';

export class Replay {
  readonly #log: readonly LoggedEvent[];
  #fold = new SearchFold();
  #taken = 0;

  /** The log may grow at its end between calls. */
  constructor(log: readonly LoggedEvent[]) {
    this.#log = log;
  }

  /** The search after the first `count` events. The value is the replay's own and changes with the next call. */
  seek(count: number): SearchFold {
    const wanted = Math.max(0, Math.min(count, this.#log.length));
    if (wanted < this.#taken) {
      this.#fold = new SearchFold();
      this.#taken = 0;
    }
    for (; this.#taken < wanted; this.#taken += 1) this.#fold.apply(this.#log[this.#taken]!);
    return this.#fold;
  }
}
