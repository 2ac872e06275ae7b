// Rows of a database as the journal's records and entries: both dialects have the same columns, JSON as text.

import type { LoggedEvent, SearchEvent } from '../log/events.ts';
import type { DocumentKind, KeptDocument } from './documents.ts';
import type { Plain, SearchRecord, SearchState } from './journal.ts';
import { joinTexts, listedTexts } from './texts.ts';

/** A value of a row: null, number, text; never looked at before it is read as what its column holds. */
type SqlRow = Readonly<Record<string, unknown>>;

/** A text as a column takes it: PostgreSQL knows neither the character 0 nor half of a surrogate pair. JSON escapes both. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

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

/** Of a list, see `Journal.list`. */
export function toListed(row: SqlRow): SearchRecord {
  const record = toRecord(row);
  return { ...record, texts: listedTexts(record.texts) };
}

export function toEntry(search: string, row: SqlRow): LoggedEvent {
  const bare = JSON.parse(String(row.body)) as SearchEvent;
  const event = joinTexts(bare, optionalJson(row.texts));
  return { search, sequence: Number(row.sequence), atMs: Number(row.at_ms), event };
}

export function toDocument(row: SqlRow): KeptDocument {
  return {
    id: String(row.id),
    kind: String(row.kind) as DocumentKind,
    owner: String(row.owner),
    createdMs: Number(row.created_ms),
    open: row.open === 1,
    expiresMs: optionalNumber(row.expires_ms),
    revision: Number(row.revision),
    facts: optionalJson(row.facts) ?? {},
  };
}

function optionalNumber(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function optionalText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function optionalJson(value: unknown): Plain | undefined {
  return value === null || value === undefined ? undefined : (JSON.parse(String(value)) as Plain);
}
