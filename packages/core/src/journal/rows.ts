// Rows of a database as records and entries; both dialects have the same columns. Unreadable JSON spoils only its row: the search counts as
// failed, an entry or document fails when it is read.

import { FaultError, fault } from '../base/fault.ts';
import { isRecord } from '../base/record.ts';
import type { LogEntry } from '../log/entry.ts';
import type { DocumentKind, KeptDocument, Plain } from './documents.ts';
import type { FinishedSearch, SearchRecord, SearchState } from './journal.ts';
import { joinEntry, listedTexts } from './texts.ts';

export type SqlRow = Readonly<Record<string, unknown>>;

/** PostgreSQL takes neither the character 0 nor half of a surrogate pair. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

export function toRecord(row: SqlRow): SearchRecord {
  const about = readJson(row.about);
  const [request, outcome, texts] = [readJson(row.request), readJson(row.outcome), readJson(row.texts)];
  const json = { about, request, outcome, texts };
  const column = jsonColumns.find((each) => json[each] === undefined && !isNothing(row[each]));
  const record = { ...columnsOf(row), ...json, about: about ?? {} };
  if (column === undefined) return record;
  const damage = describeDamage(`table searches, id ${record.id}`, column);
  // Ended, so that no client waits for it and no process resumes it.
  return {
    ...record,
    state: 'failed',
    endedMs: record.endedMs ?? record.createdMs,
    outcome: damagedOutcome(damage),
    damage,
  };
}

export function toListed(row: SqlRow): SearchRecord {
  const record = toRecord(row);
  return { ...record, texts: listedTexts(record.texts) };
}

export function toEnded(row: SqlRow): FinishedSearch {
  return {
    id: String(row.id),
    owner: String(row.owner),
    state: String(row.state) as SearchState,
    createdMs: Number(row.created_ms),
    endedMs: Number(row.ended_ms),
    about: readJson(row.about) ?? {},
    outcome: readJson(row.outcome),
  };
}

export function toEntry(search: string, row: SqlRow): LogEntry {
  const sequence = Number(row.sequence);
  const place = `table events, search ${search}, sequence ${sequence}`;
  const body = readJson(row.body) ?? raiseDamaged(place, 'body');
  const texts = isNothing(row.texts) ? undefined : (readJson(row.texts) ?? raiseDamaged(place, 'texts'));
  return { search, sequence, atMs: Number(row.at_ms), ...joinEntry({ body, texts }) };
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
    facts: readJson(row.facts) ?? raiseDamaged(`table documents, id ${String(row.id)}`, 'facts'),
  };
}

export function soundDocuments(rows: readonly SqlRow[], onDamage: (message: string) => void): KeptDocument[] {
  return rows.flatMap((row) => {
    try {
      return [toDocument(row)];
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      onDamage(error.fault.message);
      return [];
    }
  });
}

/** Rows are read again and again. */
export function onceEach(onDamage: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    onDamage(message);
  };
}

function columnsOf(row: SqlRow) {
  return {
    id: String(row.id),
    owner: String(row.owner),
    ...(row.idempotency === null ? {} : { idempotencyKey: String(row.idempotency) }),
    ...(isNothing(row.session) ? {} : { session: String(row.session) }),
    fingerprint: String(row.fingerprint),
    background: row.background === 1,
    state: String(row.state) as SearchState,
    epoch: Number(row.epoch),
    runs: Number(row.runs ?? 0),
    cancelRequested: row.cancel_requested === 1,
    createdMs: Number(row.created_ms),
    startedMs: optionalNumber(row.started_ms),
    endedMs: optionalNumber(row.ended_ms),
    title: isNothing(row.title) ? undefined : String(row.title),
  };
}

export function damagedOutcome(damage: string): Plain {
  const message = `the journal cannot read this search: ${damage}`;
  return { error: { message, type: 'server_error', param: null, code: 'internal' } };
}

const jsonColumns = ['about', 'request', 'outcome', 'texts'] as const;

function raiseDamaged(place: string, column: string): never {
  throw new FaultError(fault('damaged', describeDamage(place, column)));
}

function describeDamage(place: string, column: string): string {
  return `${place}: column ${column} holds no JSON object`;
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function optionalNumber(value: unknown): number | undefined {
  return isNothing(value) ? undefined : Number(value);
}

function readJson(value: unknown): Plain | undefined {
  if (isNothing(value)) return undefined;
  try {
    const parsed: unknown = JSON.parse(String(value));
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
