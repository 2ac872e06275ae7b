// All statements of the journal, prepared once. An entry is inserted only at the epoch and place that its writer expects.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { raise } from '../../base/fault.ts';
import { pageChars } from '../journal.ts';
import type { SqlRow } from '../rows.ts';

const listed = `select id, owner, idempotency, fingerprint, background, state, epoch, cancel_requested, created_ms,
           started_ms, ended_ms, session, about, title, outcome, texts
         from searches
         where (?1 is null or owner = ?1) and (?2 = '[]' or state in (select value from json_each(?2))) and id < ?3`;

const texts = {
  accept: `insert into searches (id, owner, idempotency, fingerprint, background, created_ms, session, about, title,
             request, state, epoch, cancel_requested)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0, 0)`,
  findIdempotent: 'select id, fingerprint from searches where owner = ? and idempotency = ?',
  claim: `update searches set epoch = epoch + 1, state = 'running', started_ms = coalesce(started_ms, ?)
          where id = ? and epoch = ? and ended_ms is null`,
  begin: 'update searches set runs = ? where id = ? and epoch = ? and ended_ms is null',
  outlive: 'update searches set runs = max(runs - 1, 0) where id = ? and ended_ms is null',
  append: `insert into events (search, sequence, epoch, at_ms, body, texts)
           select ?1, ?2, ?3, ?4, ?5, ?6
           where exists (select 1 from searches where id = ?1 and epoch = ?3 and ended_ms is null)
             and ?2 = (select coalesce(max(sequence), -1) + 1 from events where search = ?1)`,
  findEntry: 'select epoch, body from events where search = ? and sequence = ?',
  last: 'select coalesce(max(sequence), -1) as last from events where search = ?',
  finish: `update searches set state = ?, ended_ms = ?, outcome = ?, texts = ?
           where id = ? and epoch = ? and ended_ms is null`,
  eraseRequest: 'update searches set request = null, title = null where id = ?',
  eraseTexts: 'update events set texts = null where search = ? and texts is not null',
  requestCancel: 'update searches set cancel_requested = 1 where id = ? and ended_ms is null',
  find: 'select * from searches where id = ?',
  list: `${listed} order by id desc limit ?4`,
  listSession: `${listed} and (session = ?5 or id = ?5) order by id desc limit ?4`,
  ended: `select id, owner, state, created_ms, ended_ms, about, outcome from searches
          where ended_ms is not null and ended_ms >= ?1 and (ended_ms, id) < (?2, ?3) and (?4 is null or owner = ?4)
          order by ended_ms desc, id desc limit ?5`,
  unfinished: 'select * from searches where ended_ms is null order by id',
  read: 'select sequence, at_ms, body, texts from events where search = ? and sequence > ? order by sequence limit ?',
  count: 'select count(*) as count from searches',
  endedBefore: 'select id from searches where ended_ms < ? order by ended_ms limit ?',
  oldestEnded: 'select id from searches where ended_ms is not null order by ended_ms limit ?',
  endedBeyond: 'select id from searches where ended_ms is not null order by ended_ms desc limit -1 offset ?',
  // Large enough to need pages of its own.
  probe: "insert into events (search, sequence, epoch, at_ms, body) values ('~probe', 0, 0, 0, hex(zeroblob(16384)))",
  isEnded: 'select 1 from searches where id = ? and ended_ms is not null',
  dropLast: `delete from events where search = ?1
             and sequence in (select sequence from events where search = ?1 order by sequence desc limit ?2)`,
  dropEnded: 'delete from searches where id = ? and ended_ms is not null',
} as const;

export type Statements = Readonly<Record<keyof typeof texts, StatementSync>>;

export function prepareStatements(database: DatabaseSync, path: string): Statements {
  try {
    const prepared = Object.entries(texts).map(([name, sql]) => [name, database.prepare(sql)] as const);
    return Object.fromEntries(prepared) as unknown as Statements;
  } catch (error) {
    database.close();
    const reason = error instanceof Error ? error.message : String(error);
    return raise('bad-setting', `${path} is not a journal of coppice (${reason}); set journal.path`);
  }
}

export function boundedPage(rows: Iterable<SqlRow>, textsOf: (row: SqlRow) => readonly unknown[]): SqlRow[] {
  const page: SqlRow[] = [];
  let chars = 0;
  for (const row of rows) {
    page.push(row);
    for (const text of textsOf(row)) if (typeof text === 'string') chars += text.length;
    if (chars >= pageChars) break;
  }
  return page;
}

export function changed(statement: StatementSync, ...values: (string | number | null)[]): boolean {
  return Number(statement.run(...values).changes) > 0;
}
