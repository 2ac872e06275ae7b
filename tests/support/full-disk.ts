// A journal on a disk that a test fills and frees. `fill` is SQLite's own full disk, by a limit on the number of pages: writes
// that need no new page still fit. `jam` refuses every transaction, like a disk on which the log itself cannot grow.

import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../packages/core/src/journal/sqlite/open-database.ts';
import { SqliteJournal, type SqliteJournalOptions } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';

export interface FillableJournal {
  readonly journal: SqliteJournal;
  /** Allows no further page. */
  fill(): void;
  jam(): void;
  free(): void;
}

export function openFillable(options: SqliteJournalOptions): FillableJournal {
  let opened: DatabaseSync | undefined;
  const journal = new SqliteJournal({
    ...options,
    open: (...how) => {
      opened = openDatabase(...how);
      return opened;
    },
  });
  const database = opened!;
  database.exec('create table filler (bytes blob)');
  let jammed = false;
  const exec = database.exec.bind(database);
  database.exec = (sql) => {
    if (!jammed || !sql.startsWith('begin')) return exec(sql);
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  };
  const jam = () => {
    jammed = true;
  };
  const free = () => {
    jammed = false;
    database.exec('pragma max_page_count = 1000000');
  };
  const fill = () => {
    const pages = Number(database.prepare('pragma page_count').get()?.page_count);
    database.exec(`pragma max_page_count = ${pages}`);
    // Uses up free pages too: SQLite would reuse them.
    const insert = database.prepare('insert into filler values (zeroblob(1000))');
    try {
      for (;;) insert.run();
    } catch {
      // The disk is full now.
    }
  };
  return { journal, fill, jam, free };
}
