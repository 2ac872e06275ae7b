// A whole log in pages, with a turn of the event loop between them: a log of any length holds up nothing else, though SQLite reads
// without waiting.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from '../log/entry.ts';
import type { Journal } from './journal.ts';

/** Entries of a page; `pageChars` bounds it too. */
export const pageEntries = 250;

/** Up to what is in the journal now. */
export async function* readLog(
  journal: Pick<Journal, 'read'>,
  search: string,
  after = -1,
): AsyncGenerator<readonly LogEntry[]> {
  for (let last = after; ; ) {
    const page = await journal.read(search, last, pageEntries);
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)!.sequence;
    await nextTurn();
  }
}
