// Journals of kind `sqlite`: one file of one process.

import { existsSync } from 'node:fs';
import { raise } from '../base/fault.ts';
import { readableByOthers } from '../journal/sqlite/open-database.ts';
import { SqliteJournal } from '../journal/sqlite/sqlite-journal.ts';
import type { JournalKind } from './plugin.ts';

export const sqliteKind: JournalKind = {
  kind: 'sqlite',
  about: 'sqlite is one file of one process',
  async open({ journal: { path, texts, damaged } }, { log, clock }) {
    const onDamage = (message: string) => log.error('journal', { message });
    const journal = new SqliteJournal({ path, texts, damaged, onDamage });
    const message = readableByOthers(path);
    if (message !== undefined) log.warn('journal', { message });
    return { journal, clock };
  },
  async read({ journal: { path, texts } }) {
    if (!existsSync(path)) raise('bad-setting', `there is no journal ${path}; name one by --journal, or traces`);
    return new SqliteJournal({ path, texts });
  },
};
