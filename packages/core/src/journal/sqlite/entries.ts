// The log entries of an SQLite journal: rows of its file or, in memory, the events themselves (3 % instead of 12 % of a simulated search's
// CPU). Both take an entry only under the epoch of its search and at the next place, and know one that they have already.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LogEntry } from '../../log/entry.ts';
import type { AppendResult, TextKeeping } from '../journal.ts';
import { toEntry } from '../rows.ts';
import { joinEntry, splitEntry } from '../texts.ts';
import { boundedPage, changed, type Statements } from './statements.ts';

export interface Entries {
  add(epoch: number, entry: LogEntry): AppendResult;
  read(search: string, after: number, limit: number): LogEntry[];
  last(search: string): number;
  eraseTexts(search: string): void;
  dropLast(search: string, most: number): number;
}

export class StoredEntries implements Entries {
  readonly #sql: Statements;
  readonly #texts: TextKeeping;

  constructor(sql: Statements, texts: TextKeeping) {
    this.#sql = sql;
    this.#texts = texts;
  }

  add(epoch: number, entry: LogEntry): AppendResult {
    const { search, sequence, atMs } = entry;
    const { body: facts, texts } = splitEntry(entry);
    const body = JSON.stringify(facts);
    const kept = texts === undefined || this.#texts === 'never' ? null : JSON.stringify(texts);
    if (changed(this.#sql.append, search, sequence, epoch, atMs, body, kept)) return 'stored';
    const found = this.#sql.findEntry.get(search, sequence);
    if (found?.epoch !== epoch) return 'lost';
    return found.body === body ? 'stored' : 'differs';
  }

  read(search: string, after: number, limit: number): LogEntry[] {
    const rows = boundedPage(this.#sql.read.iterate(search, after, limit), ({ body, texts }) => [body, texts]);
    return rows.map((row) => toEntry(search, row));
  }

  last(search: string): number {
    return Number(this.#sql.last.get(search)?.last);
  }

  eraseTexts(search: string): void {
    this.#sql.eraseTexts.run(search);
  }

  dropLast(search: string, most: number): number {
    return Number(this.#sql.dropLast.run(search, most).changes);
  }
}

export class HeldEntries implements Entries {
  readonly #held = new Map<string, LogEntry[]>();
  readonly #epochOf: StatementSync;
  readonly #texts: TextKeeping;

  constructor(database: DatabaseSync, texts: TextKeeping) {
    this.#epochOf = database.prepare('select epoch, ended_ms from searches where id = ?');
    this.#texts = texts;
  }

  add(epoch: number, entry: LogEntry): AppendResult {
    const found = this.#epochOf.get(entry.search);
    if (found?.epoch !== epoch) return 'lost';
    const entries = this.#held.get(entry.search) ?? [];
    if (entries[entry.sequence] !== undefined) return 'stored';
    if (found.ended_ms !== null || entries.length !== entry.sequence) return 'lost';
    entries.push(this.#texts === 'never' ? withoutTexts(entry) : entry);
    this.#held.set(entry.search, entries);
    return 'stored';
  }

  read(search: string, after: number, limit: number): LogEntry[] {
    return this.#held.get(search)?.slice(after + 1, after + 1 + limit) ?? [];
  }

  last(search: string): number {
    return (this.#held.get(search)?.length ?? 0) - 1;
  }

  eraseTexts(search: string): void {
    this.#held.set(search, this.#held.get(search)?.map(withoutTexts) ?? []);
  }

  dropLast(search: string): number {
    return this.#held.delete(search) ? 1 : 0;
  }
}

function withoutTexts(entry: LogEntry): LogEntry {
  return { ...entry, ...joinEntry({ body: splitEntry(entry).body, texts: undefined }) };
}
