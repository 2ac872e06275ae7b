// The journal's tables in PostgreSQL, and the version of their format. Only `coppice migrate` creates or changes them. A start checks that
// it can write to them, and otherwise says in one line what to do.

import { raise } from '@coppice/core/base';
import type { ClientBase } from 'pg';

/** Each step brings the tables to the next format. */
const steps: readonly ((schema: string) => string)[] = [
  searchTables,
  documentTables,
  nodeReports,
  searchFormats,
  keyUsage,
  searchRuns,
  searchSessions,
];
const version = steps.length;

/** An arbitrary lock number: without a lock, two migrations at once would both start from nothing. */
const migrationLock = 826_400_117;

function searchTables(schema: string): string {
  return `
    create table ${schema}.meta (version integer not null);
    insert into ${schema}.meta values (0);
    create table ${schema}.searches (
      id text collate "C" primary key,
      owner text not null,
      idempotency text,
      fingerprint text not null,
      background smallint not null,
      state text not null,
      epoch integer not null,
      cancel_requested smallint not null,
      node text,
      created_ms double precision not null,
      started_ms double precision,
      ended_ms double precision,
      about text not null,
      title text,
      request text,
      outcome text,
      texts text
    ) with (fillfactor = 70);
    create unique index searches_idempotency on ${schema}.searches (owner, idempotency) where idempotency is not null;
    create index searches_ended on ${schema}.searches (ended_ms) where ended_ms is not null;
    create index searches_unfinished on ${schema}.searches (id) where ended_ms is null;
    create table ${schema}.events (
      search text collate "C" not null,
      sequence integer not null,
      epoch integer not null,
      at_ms double precision not null,
      body text not null,
      texts text,
      primary key (search, sequence)
    );
    create table ${schema}.nodes (
      node text primary key,
      seen timestamptz not null,
      version text not null,
      models text[] not null,
      url text
    );`;
}

function documentTables(schema: string): string {
  return `
    create table ${schema}.documents (
      id text collate "C" primary key,
      kind text not null,
      owner text not null,
      created_ms double precision not null,
      open smallint not null,
      expires_ms double precision,
      facts text not null,
      revision integer not null
    );
    create index documents_kind on ${schema}.documents (kind, id);
    create index documents_open on ${schema}.documents (kind, id) where open = 1;
    create index documents_expiry on ${schema}.documents (expires_ms) where open = 0 and expires_ms is not null;
    create table ${schema}.parts (
      document text collate "C" not null,
      part integer not null,
      text text not null,
      primary key (document, part)
    );`;
}

/** Nodes of the previous format keep running meanwhile, so new columns have defaults. */
function nodeReports(schema: string): string {
  return `alter table ${schema}.nodes drop column url,
            add column servers text[] not null default '{}', add column report text not null default '{}';`;
}

/** The format of a search's log, see log/entry.ts. */
function searchFormats(schema: string): string {
  return `alter table ${schema}.searches add column log smallint not null default 1;`;
}

/** Each node's usage of a key in a quota window, one row per node: writing it again has no effect. */
function keyUsage(schema: string): string {
  return `
    create table ${schema}.usage (
      key text not null,
      span_ms double precision not null,
      window_ms double precision not null,
      node text not null,
      requests bigint not null,
      tokens bigint not null,
      primary key (key, span_ms, window_ms, node)
    );`;
}

function searchRuns(schema: string): string {
  return `alter table ${schema}.searches add column runs integer not null default 0;`;
}

function searchSessions(schema: string): string {
  return `
    alter table ${schema}.searches add column session text;
    create index searches_session on ${schema}.searches (session, id) where session is not null;`;
}

/** Creates missing tables and updates old ones. True if it changed something. */
export async function migrate(client: ClientBase, schema: string): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    await client.query(`create schema if not exists ${schema}`);
    const found = await foundVersion(client, schema);
    if (found !== undefined && found > version) refuse(schema, found);
    for (const step of steps.slice(found ?? 0)) await client.query(step(schema));
    await client.query(`update ${schema}.meta set version = ${version}`);
    await client.query('commit');
    return found !== version;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Throws a one-line fault unless the tables have this version's format. */
export async function checkSchema(client: ClientBase, schema: string): Promise<void> {
  const found = await foundVersion(client, schema);
  if (found === undefined)
    raise('bad-setting', `the database has no tables of coppice in schema ${schema}; run coppice migrate`);
  if (found !== version) refuse(schema, found);
}

function refuse(schema: string, found: number): never {
  const advice = found < version ? 'run coppice migrate' : 'start the newer coppice, or set journal.schema';
  return raise(
    'bad-setting',
    `the journal in schema ${schema} has format ${found}, this coppice ${version}; ${advice}`,
  );
}

async function foundVersion(client: ClientBase, schema: string): Promise<number | undefined> {
  const { rows } = await client.query('select to_regclass($1) is not null as exists', [`${schema}.meta`]);
  if (rows[0]?.exists !== true) return undefined;
  const meta = await client.query(`select version from ${schema}.meta`);
  return Number(meta.rows[0]?.version ?? 0);
}
