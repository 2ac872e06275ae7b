// The tables of the journal, and the version of their format.

import type { DatabaseSync } from 'node:sqlite';
import { raise } from '../../base/fault.ts';

const steps: readonly string[] = [
  `
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
`,
  `
  create table documents (
    id text primary key,
    kind text not null,
    owner text not null,
    created_ms real not null,
    open integer not null,
    expires_ms real,
    facts text not null,
    revision integer not null
  ) strict, without rowid;
  create index documents_kind on documents (kind, id);
  create index documents_open on documents (kind, id) where open = 1;
  create index documents_expiry on documents (expires_ms) where open = 0 and expires_ms is not null;
  create table parts (
    document text not null,
    part integer not null,
    text text not null,
    primary key (document, part)
  ) strict, without rowid;
`,
  // An entry may hold several events (log/entry.ts); an older coppice, which would read the first alone, refuses.
  '',
  'alter table searches add column runs integer not null default 0;',
  `
  alter table searches add column session text;
  create index searches_session on searches (session, id) where session is not null;
`,
];
const version = steps.length;

export function migrate(database: DatabaseSync, path: string): void {
  const found = Number(database.prepare('pragma user_version').get()?.user_version ?? 0);
  if (found === version) return;
  if (found > version) {
    raise(
      'bad-setting',
      `the journal ${path} has format ${found}, this coppice writes ${version}; set journal.path to a new file`,
    );
  }
  if (found === 0 && database.prepare('select 1 from sqlite_schema').get() !== undefined)
    raise('bad-setting', `${path} is not a journal of coppice (it has tables of another program); set journal.path`);
  // A foreign file under our number fails when its tables are looked for.
  if (found > 0 && database.prepare("select 1 from sqlite_schema where name = 'searches'").get() === undefined) return;
  database.exec(`begin immediate; ${steps.slice(found).join('')} pragma user_version = ${version}; commit;`);
}
