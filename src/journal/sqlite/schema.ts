// The tables of the journal, and the version of their format.

import type { DatabaseSync } from 'node:sqlite';
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

export function migrate(database: DatabaseSync, path: string): void {
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
