// Wakes those who read the log of a search, or wait for its end, when the journal has more of it. Only wakes: what is true is read
// from the journal.

import type { Journal, SearchRecord } from '../../journal/journal.ts';

/** For bells that were missed. */
const lookMs = 5000;

/** Wakes the readers of a search when its log has grown. */
export class LogWatchers {
  readonly #journal: Journal;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(journal: Journal) {
    this.#journal = journal;
    const wake = (search: string) => this.wake(search);
    journal.listen({ durable: wake, grownElsewhere: wake, trouble: () => this.wakeAll() });
  }

  wake(search: string): void {
    const waiting = this.#waiting.get(search);
    if (waiting === undefined) return;
    this.#waiting.delete(search);
    for (const wake of waiting) wake();
  }

  wakeAll(): void {
    for (const search of [...this.#waiting.keys()]) this.wake(search);
  }

  /** Resolves at the next sign of life of the search, or when the signal says so. */
  next(search: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(search) ?? new Set();
      this.#waiting.set(search, waiting);
      const done = () => {
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(search) === waiting) this.#waiting.delete(search);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  /** The record of a search when it has an end; undefined where there is no such search, or it is not worth waiting any more. */
  async ended(search: string, signal: AbortSignal, isHopeless = () => false): Promise<SearchRecord | undefined> {
    while (!signal.aborted && !isHopeless()) {
      // Asked for before reading, so that what becomes safe in between is not missed.
      const enough = new AbortController();
      const grown = this.next(search, AbortSignal.any([signal, enough.signal, AbortSignal.timeout(lookMs)]));
      try {
        const record = await this.#journal.find(search);
        if (record === undefined || record.endedMs !== undefined) return record;
        await grown;
      } finally {
        enough.abort();
      }
    }
    return undefined;
  }
}
