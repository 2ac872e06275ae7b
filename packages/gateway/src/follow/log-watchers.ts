// Follows the log of a search for its readers: wakes them when the journal has more, and reads it for them. Only the journal says what
// is true; while it cannot be read, a reader waits.

import { setTimeout as delay } from 'node:timers/promises';
import { isFault } from '@coppice/core/base';
import type { Journal, SearchRecord } from '@coppice/core/journal';
import type { LogEntry } from '@coppice/core/log';
import { WakeUps } from './wake-ups.ts';

/** Empty `entries`: the log has ended. `record` is then the search's, unless it has been removed. */
export interface LogPage {
  readonly entries: readonly LogEntry[];
  readonly record?: SearchRecord;
}

/** About as many as a connection takes at once: a slow reader drops the rest of a page and reads it again. */
const pageEntries = 32;
/** Covers missed notifications. */
const lookMs = 5000;

export class LogWatchers extends WakeUps {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    super();
    this.#journal = journal;
    const wake = (search: string) => this.wake(search);
    journal.listen({ durable: wake, grownElsewhere: wake, trouble: () => this.wakeAll() });
  }

  /** Resolves when there are entries after this one; undefined if the reader leaves. `isComing`: the search may not be written yet. */
  page(search: string, after: number, gone: AbortSignal, isComing = () => false): Promise<LogPage | undefined> {
    return this.#whenWoken(search, gone, async () => {
      const entries = await this.#journal.read(search, after, pageEntries);
      if (entries.length > 0) return { entries };
      const record = await this.#journal.find(search);
      if (record === undefined) return isComing() ? undefined : { entries };
      if (record.endedMs === undefined) return undefined;
      // Reads again: the last entries may have been written together with the end.
      const last = await this.#journal.read(search, after, pageEntries);
      return last.length > 0 ? { entries: last } : { entries, record };
    });
  }

  /** Resolves to the record of an ended search; undefined if there is no such search, or waiting has become hopeless. */
  async ended(search: string, gone: AbortSignal, isHopeless = () => false): Promise<SearchRecord | undefined> {
    const found = await this.#whenWoken(search, gone, async () => {
      const record = await this.#journal.find(search);
      if (record === undefined || record.endedMs !== undefined) return { record };
      return isHopeless() ? {} : undefined;
    });
    return found?.record;
  }

  async #whenWoken<Found>(
    search: string,
    gone: AbortSignal,
    look: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    // Most looks find something; only the others pay for a wait, which costs five times the look.
    const atOnce = await readThrough(look, gone);
    if (atOnce !== undefined) return atOnce;
    while (!gone.aborted) {
      // Waiting begins before looking, so that no notification in between is missed.
      const enough = new AbortController();
      const woken = this.next(search, AbortSignal.any([gone, enough.signal, AbortSignal.timeout(lookMs)]));
      try {
        const found = await readThrough(look, gone);
        if (found !== undefined) return found;
        await woken;
      } finally {
        enough.abort();
      }
    }
    return undefined;
  }
}

const firstPauseMs = 50;
const longestPauseMs = 2000;

export type Pause = (ms: number, gone: AbortSignal) => Promise<void>;

/** Retries while the database cannot be reached; undefined if the client leaves first. */
export async function readThrough<Result>(
  read: () => Promise<Result>,
  gone: AbortSignal,
  pause: Pause = pauseUnlessGone,
): Promise<Result | undefined> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    try {
      return await read();
    } catch (error) {
      if (!isFault(error, 'unavailable')) throw error;
    }
    if (!gone.aborted) await pause(pauseMs, gone);
    if (gone.aborted) return undefined;
  }
}

function pauseUnlessGone(ms: number, gone: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal: gone }).catch(() => {});
}
