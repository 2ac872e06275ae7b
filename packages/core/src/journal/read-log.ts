// A whole log in pages. Each page is a slice of work, so that a long log holds up nothing else.

import { nextSlice } from '../base/slices.ts';
import type { LogEntry } from '../log/entry.ts';
import type { Journal } from './journal.ts';

const pageEntries = 250;

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
    await nextSlice();
  }
}
