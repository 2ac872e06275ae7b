// The journal of one process, on disk or in memory: SQLite as Node ships it. A commit holds the loop for one fsync, so entries wait for
// each other and only what a client awaits is hurried.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { liveTimers, type Timers } from '../../base/clock.ts';
import { FaultError, fault } from '../../base/fault.ts';
import { nextSlice } from '../../base/slices.ts';
import type { LogEntry } from '../../log/entry.ts';
import type {
  Acceptance,
  AppendResult,
  DamageChoice,
  EndedQuery,
  Ending,
  FinishedSearch,
  Journal,
  JournalHealth,
  JournalListener,
  ListQuery,
  NewSearch,
  Retention,
  SearchRecord,
  TextKeeping,
} from '../journal.ts';
import { JournalWriter, tellAppended, tellRefused } from '../journal-writer.ts';
import { onceEach, storable, toEnded, toListed, toRecord } from '../rows.ts';
import { lookAtRows } from './damaged-rows.ts';
import { type Entries, HeldEntries, StoredEntries } from './entries.ts';
import { inMemory, openDatabase } from './open-database.ts';
import { SqliteDocuments } from './sqlite-documents.ts';
import { SqliteStore, type SqliteWrite } from './sqlite-store.ts';
import { changed, prepareStatements, type Statements } from './statements.ts';

export interface SqliteJournalOptions {
  readonly path: string;
  readonly texts?: TextKeeping;
  /** Longest wait of an entry for its commit; in memory none waits. */
  readonly flushMs?: number;
  readonly mostHeld?: number;
  /** Beyond these the oldest go at once; 2,000 in memory, unlimited on disk. */
  readonly mostEnded?: number;
  readonly damaged?: DamageChoice;
  readonly onDamage?: (message: string) => void;
  /** Tests hand in their own. */
  readonly open?: typeof openDatabase;
  readonly timers?: Timers;
}

const mostHeld = 200_000;
const mostEndedInMemory = 2000;
/** Per transaction: some 30 ms, since what they held is overwritten. */
const sliceEntries = 1000;
/** Commits hold the loop: they take a fifth of its time at most. */
const restFactor = 4;

export class SqliteJournal implements Journal {
  readonly texts: TextKeeping;
  readonly documents: SqliteDocuments;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #entries: Entries;
  readonly #path: string;
  readonly #mostEnded: number | undefined;
  readonly #writer: JournalWriter<SqliteWrite>;
  readonly #listeners: JournalListener[] = [];

  constructor(options: SqliteJournalOptions) {
    this.texts = options.texts ?? 'keep';
    this.#path = options.path;
    const { path, damaged = 'refuse', onDamage = () => {}, open = openDatabase } = options;
    this.#database = open(path, { damaged, onDamage });
    this.#sql = prepareStatements(this.#database, path);
    const isInMemory = path === inMemory;
    this.#entries = isInMemory ? new HeldEntries(this.#database, this.texts) : new StoredEntries(this.#sql, this.texts);
    this.#mostEnded = options.mostEnded ?? (isInMemory ? mostEndedInMemory : undefined);
    lookAtRows(this.#database, path, { damaged, onDamage });
    this.#writer = new JournalWriter({
      store: new SqliteStore(this.#database, () => this.#probe()),
      timers: options.timers ?? liveTimers,
      setting: 'journal.path',
      flushMs: isInMemory ? 0 : (options.flushMs ?? 20),
      restFactor,
      mostHeld: options.mostHeld ?? mostHeld,
      onTrouble: () => this.#tellAll(this.trouble),
    });
    this.documents = new SqliteDocuments(this.#database, {
      write: (apply) => this.#write(apply),
      read: (read) => this.#read(read),
      onDamage: onceEach(onDamage),
    });
  }

  accept(search: NewSearch): Promise<Acceptance> {
    const isAwaited = search.background || search.idempotencyKey !== undefined;
    return this.#write(() => this.#accept(search), isAwaited);
  }

  claim(id: string, epoch: number, atMs: number): Promise<boolean> {
    return this.#write(() => changed(this.#sql.claim, atMs, id, epoch), false);
  }

  begin(id: string, epoch: number, runs: number): Promise<boolean> {
    return this.#write(() => changed(this.#sql.begin, runs, id, epoch), false);
  }

  outlive(id: string): Promise<boolean> {
    return this.#write(() => changed(this.#sql.outlive, id), false);
  }

  append(epoch: number, entry: LogEntry): void {
    const { search, sequence } = entry;
    const settle = (result: unknown) => tellAppended(this.#listeners, search, sequence, result as AppendResult);
    const fail = ({ fault: { message } }: FaultError) => tellRefused(this.#listeners, search, message);
    this.#writer.push({ apply: () => this.#entries.add(epoch, entry), settle, fail, awaited: false });
  }

  flush(): Promise<void> {
    return this.#write(() => undefined);
  }

  finish(id: string, epoch: number, ending: Ending): Promise<boolean> {
    return this.#write(() => this.#finish(id, epoch, ending), false);
  }

  requestCancel(id: string): Promise<boolean> {
    return this.#write(() => changed(this.#sql.requestCancel, id));
  }

  async find(id: string): Promise<SearchRecord | undefined> {
    return this.#read(() => {
      const row = this.#sql.find.get(id);
      return row === undefined ? undefined : toRecord(row);
    });
  }

  async list(query: ListQuery): Promise<SearchRecord[]> {
    const { owner, session, states, before, limit } = query;
    const wanted = [owner ?? null, JSON.stringify(states ?? []), before ?? '~', limit] as const;
    const { list, listSession } = this.#sql;
    const rows = () => (session === undefined ? list.all(...wanted) : listSession.all(...wanted, session));
    return this.#read(() => rows().map(toListed));
  }

  async ended({ owner, fromMs, before, limit }: EndedQuery): Promise<FinishedSearch[]> {
    const wanted = [fromMs, before.endedMs, before.id, owner ?? null, limit] as const;
    return this.#read(() => this.#sql.ended.all(...wanted).map(toEnded));
  }

  async unfinished(): Promise<SearchRecord[]> {
    const records = this.#read(() => this.#sql.unfinished.all().map(toRecord));
    return records.filter(({ damage }) => damage === undefined);
  }

  async read(search: string, after: number, limit: number): Promise<LogEntry[]> {
    return this.#read(() => this.#entries.read(search, after, limit));
  }

  async sweep(retention: Retention): Promise<number> {
    const all = Number(this.#sql.count.get()?.count ?? 0);
    const surplus = Math.max(0, all - retention.keepSearches);
    const aged = this.#sql.endedBefore.all(retention.endedBeforeMs, retention.atMost);
    const rows = aged.length >= surplus ? aged : this.#sql.oldestEnded.all(Math.min(surplus, retention.atMost));
    return this.#removeAll(rows.map(({ id }) => String(id)));
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#removeAll([id])) === 1;
  }

  listen(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  get trouble(): string | undefined {
    const { trouble } = this.#writer;
    if (trouble === undefined) return undefined;
    return `${this.#path} cannot be written: ${trouble}; free the disk, or set journal.path`;
  }

  health(): JournalHealth {
    const bytes = this.#path === inMemory ? 0 : sizeOf(this.#path) + sizeOf(`${this.#path}-wal`);
    return { ...this.#writer.counts, bytes };
  }

  async close(): Promise<void> {
    const unwritten = await this.#writer.close();
    if (unwritten > 0) this.#tellAll(`${this.#path} was closed with ${unwritten} writes that it could not take`);
    this.#database.close();
  }

  #accept(search: NewSearch): Acceptance {
    const { id, owner, idempotencyKey, fingerprint, background, createdMs, session, about } = search;
    const taken = idempotencyKey === undefined ? undefined : this.#sql.findIdempotent.get(owner, idempotencyKey);
    if (taken !== undefined) return { fresh: false, id: String(taken.id), fingerprint: String(taken.fingerprint) };
    const kept = this.texts === 'never' ? [null, null] : [storable(search.title), JSON.stringify(search.request)];
    const facts = [
      fingerprint,
      background ? 1 : 0,
      createdMs,
      session ?? null,
      JSON.stringify(about),
      ...kept,
    ] as const;
    this.#sql.accept.run(id, owner, idempotencyKey ?? null, ...facts);
    return { fresh: true };
  }

  #finish(id: string, epoch: number, ending: Ending): boolean {
    const { state, endedMs, outcome, lastSequence } = ending;
    if (lastSequence !== undefined && lastSequence !== this.#entries.last(id)) return false;
    const kept = this.texts === 'keep' ? JSON.stringify(ending.texts) : null;
    if (!changed(this.#sql.finish, state, endedMs, JSON.stringify(outcome), kept, id, epoch)) return false;
    if (this.texts === 'until-end') {
      this.#sql.eraseRequest.run(id);
      this.#entries.eraseTexts(id);
    }
    if (this.#mostEnded !== undefined)
      this.#removeSome(this.#sql.endedBeyond.all(this.#mostEnded).map(({ id: old }) => String(old)));
    return true;
  }

  /** In slices. A log loses its end first, and its search goes last: the next sweep removes what a crash leaves. */
  async #removeAll(ids: readonly string[]): Promise<number> {
    let gone = 0;
    for (let at = 0; at < ids.length; ) {
      const rest = ids.slice(at);
      const slice = await this.#write(() => this.#removeSome(rest));
      at += slice.looked;
      gone += slice.gone;
      await nextSlice();
    }
    return gone;
  }

  /** `looked`: done with; `gone`: had ended, and were removed. */
  #removeSome(ids: readonly string[]): { readonly looked: number; readonly gone: number } {
    let entries = sliceEntries;
    let gone = 0;
    for (const [looked, id] of ids.entries()) {
      const isEnded = this.#sql.isEnded.get(id) !== undefined;
      if (isEnded) entries -= this.#entries.dropLast(id, entries);
      if (entries <= 0) return { looked, gone };
      if (isEnded && changed(this.#sql.dropEnded, id)) gone += 1;
    }
    return { looked: ids.length, gone };
  }

  #write<Result>(apply: () => Result, awaited = true): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#writer.push({ apply, settle: (result) => resolve(result as Result), fail: reject, awaited });
    return promise;
  }

  #read<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (error instanceof FaultError) throw error;
      const why = (error as Error).message;
      throw new FaultError(fault('unavailable', `the journal ${this.#path} cannot be read: ${why} (journal.path)`));
    }
  }

  #probe(): void {
    this.#sql.probe.run();
    this.#sql.dropLast.run('~probe', 1);
  }

  #tellAll(trouble: string | undefined): void {
    for (const each of this.#listeners) each.trouble?.(trouble);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
