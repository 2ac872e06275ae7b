// The tables, and opening the file so that it is safe: one process at a time, and what was committed survives power loss.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { raise } from '../../base/fault.ts';

const version = 1;

const tables = `
  create table searches (
    id text primary key,
    owner text not null,
    idempotency text,
    fingerprint text not null,
    background integer not null,
    state text not null,
    epoch integer not null,
    cancel_requested integer not null,
    created_ms real not null,
    started_ms real,
    ended_ms real,
    about text not null,
    title text,
    request text,
    outcome text,
    texts text
  ) strict, without rowid;
  create unique index searches_idempotency on searches (owner, idempotency) where idempotency is not null;
  create index searches_ended on searches (ended_ms) where ended_ms is not null;
  create index searches_unfinished on searches (id) where ended_ms is null;
  create table events (
    search text not null,
    sequence integer not null,
    epoch integer not null,
    at_ms real not null,
    body text not null,
    texts text,
    primary key (search, sequence)
  ) strict, without rowid;
`;

/** Exclusive: two servers on one file would both take up the same searches. The lock dies with the process. */
export function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full;');
    // Erased texts are overwritten in the file, not only unlinked.
    database.exec('pragma secure_delete = on; pragma wal_autocheckpoint = 2000;');
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    if (!(error instanceof Error) || !error.message.includes('locked')) throw error;
    return raise('unavailable', `the journal ${path} is in use by another process; stop it or set journal.path`);
  }
}

function migrate(database: DatabaseSync, path: string): void {
  const found = Number(database.prepare('pragma user_version').get()?.user_version ?? 0);
  if (found === version) return;
  if (found !== 0) {
    raise(
      'bad-setting',
      `the journal ${path} has format ${found}, this coppice writes ${version}; set journal.path to a new file`,
    );
  }
  database.exec(`begin immediate; ${tables} pragma user_version = ${version}; commit;`);
}
