// Rows of the database as the journal's records and entries.

import type { SQLOutputValue } from 'node:sqlite';
import type { LoggedEvent, SearchEvent } from '../../log/events.ts';
import type { Plain, SearchRecord, SearchState } from '../journal.ts';
import { joinTexts } from '../texts.ts';

type SqlRow = Readonly<Record<string, SQLOutputValue>>;

export function toRecord(row: SqlRow): SearchRecord {
  const idempotency = row.idempotency;
  return {
    id: String(row.id),
    owner: String(row.owner),
    ...(idempotency === null ? {} : { idempotencyKey: String(idempotency) }),
    fingerprint: String(row.fingerprint),
    background: row.background === 1,
    state: String(row.state) as SearchState,
    epoch: Number(row.epoch),
    cancelRequested: row.cancel_requested === 1,
    createdMs: Number(row.created_ms),
    startedMs: optionalNumber(row.started_ms),
    endedMs: optionalNumber(row.ended_ms),
    about: optionalJson(row.about) ?? {},
    title: optionalText(row.title),
    request: optionalJson(row.request),
    outcome: optionalJson(row.outcome),
    texts: optionalJson(row.texts),
  };
}

export function toEntry(search: string, row: SqlRow): LoggedEvent {
  const bare = JSON.parse(String(row.body)) as SearchEvent;
  const event = joinTexts(bare, optionalJson(row.texts));
  return { search, sequence: Number(row.sequence), atMs: Number(row.at_ms), event };
}

function optionalNumber(value: SQLOutputValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function optionalText(value: SQLOutputValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function optionalJson(value: SQLOutputValue | undefined): Plain | undefined {
  return value === null || value === undefined ? undefined : (JSON.parse(String(value)) as Plain);
}
