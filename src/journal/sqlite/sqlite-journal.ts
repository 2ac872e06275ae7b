// The journal on disk: SQLite as Node ships it. Writes of one turn, or of a few milliseconds, share one transaction and
// so one fsync; they are committed in the order of the calls. Synchronous inside: a commit holds the loop for the time of
// one fsync, which is why entries wait for company and only what somebody awaits is hurried.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FaultError, fault } from '../../base/fault.ts';
import type {
  Acceptance,
  Ending,
  Entry,
  Journal,
  JournalListener,
  ListQuery,
  NewSearch,
  Retention,
  SearchRecord,
  TextKeeping,
} from '../journal.ts';
import { splitTexts } from '../texts.ts';
import { toEntry, toRecord } from './rows.ts';
import { openDatabase } from './schema.ts';
import { prepareStatements, type Statements } from './statements.ts';

export interface SqliteJournalOptions {
  readonly path: string;
  readonly texts?: TextKeeping;
  /** How long an entry may wait for others before its commit. */
  readonly flushMs?: number;
}

/** A write that waits for its transaction: `apply` runs inside it, `settle` after the commit. */
interface Operation {
  readonly apply: () => void;
  readonly settle: () => void;
  readonly fail: (error: FaultError) => void;
}

/** Writes per transaction: bounds how long one commit holds the loop. */
const batchLimit = 2000;
/** However slow the disk is. */
const longestWaitMs = 1000;

export class SqliteJournal implements Journal {
  readonly texts: TextKeeping;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #flushMs: number;
  readonly #listeners: JournalListener[] = [];
  #operations: Operation[] = [];
  #lastCommitMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #hurry: NodeJS.Immediate | undefined;

  constructor(options: SqliteJournalOptions) {
    this.texts = options.texts ?? 'keep';
    this.#flushMs = options.flushMs ?? 20;
    this.#database = openDatabase(options.path);
    this.#sql = prepareStatements(this.#database);
  }

  accept(search: NewSearch): Promise<Acceptance> {
    const isAwaited = search.background || search.idempotencyKey !== undefined;
    return this.#write(() => this.#accept(search), isAwaited);
  }

  claim(id: string, epoch: number, atMs: number): Promise<boolean> {
    return this.#write(() => changed(this.#sql.claim, atMs, id, epoch), false);
  }

  append(epoch: number, entry: Entry): void {
    let stored = false;
    const apply = () => {
      stored = this.#insert(epoch, entry);
    };
    const lost = () => {
      for (const each of this.#listeners) each.lost?.(entry.search);
    };
    const durable = () => {
      for (const each of this.#listeners) each.durable?.(entry.search, entry.sequence);
    };
    this.#operations.push({ apply, settle: () => (stored ? durable() : lost()), fail: lost });
    this.#commitLater();
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
    const row = this.#sql.find.get(id);
    return row === undefined ? undefined : toRecord(row);
  }

  async list(query: ListQuery): Promise<SearchRecord[]> {
    const { owner, states, before, limit } = query;
    return this.#sql.list.all(owner ?? null, JSON.stringify(states ?? []), before ?? '~', limit).map(toRecord);
  }

  async unfinished(): Promise<SearchRecord[]> {
    return this.#sql.unfinished.all().map(toRecord);
  }

  /** Committed entries only: a reader never sees what a crash could take back. */
  async read(search: string, after: number, limit: number): Promise<Entry[]> {
    return this.#sql.read.all(search, after, limit).map((row) => toEntry(search, row));
  }

  sweep(retention: Retention): Promise<number> {
    return this.#write(() => this.#sweep(retention));
  }

  listen(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#commit();
    this.#database.close();
  }

  #accept(search: NewSearch): Acceptance {
    const { id, owner, idempotencyKey, fingerprint, background, createdMs, about } = search;
    const taken = idempotencyKey === undefined ? undefined : this.#sql.findIdempotent.get(owner, idempotencyKey);
    if (taken !== undefined) return { fresh: false, id: String(taken.id), fingerprint: String(taken.fingerprint) };
    const kept = this.texts === 'never' ? [null, null] : [search.title, JSON.stringify(search.request)];
    const facts = [fingerprint, background ? 1 : 0, createdMs, JSON.stringify(about), ...kept] as const;
    this.#sql.accept.run(id, owner, idempotencyKey ?? null, ...facts);
    return { fresh: true };
  }

  #insert(epoch: number, entry: Entry): boolean {
    const { search, sequence, atMs, event } = entry;
    const { bare, texts } = splitTexts(event);
    const kept = texts === undefined || this.texts === 'never' ? null : JSON.stringify(texts);
    return changed(this.#sql.append, search, sequence, epoch, atMs, JSON.stringify(bare), kept);
  }

  #finish(id: string, epoch: number, ending: Ending): boolean {
    const { state, endedMs, outcome } = ending;
    const kept = this.texts === 'keep' ? JSON.stringify(ending.texts) : null;
    if (!changed(this.#sql.finish, state, endedMs, JSON.stringify(outcome), kept, id, epoch)) return false;
    if (this.texts === 'until-end') {
      this.#sql.eraseRequest.run(id);
      this.#sql.eraseTexts.run(id);
    }
    return true;
  }

  #sweep(retention: Retention): number {
    const all = Number(this.#sql.count.get()?.count ?? 0);
    const surplus = Math.max(0, all - retention.keepSearches);
    const aged = this.#sql.endedBefore.all(retention.endedBeforeMs, retention.atMost);
    const rows = aged.length >= surplus ? aged : this.#sql.oldestEnded.all(Math.min(surplus, retention.atMost));
    for (const { id } of rows) {
      this.#sql.dropEvents.run(id ?? null);
      this.#sql.dropSearch.run(id ?? null);
    }
    return rows.length;
  }

  /** `hurry`: a client waits for it; the rest waits for company. */
  #write<Result>(apply: () => Result, hurry = true): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let result: Result;
    this.#operations.push({
      apply: () => {
        result = apply();
      },
      settle: () => resolve(result),
      fail: reject,
    });
    if (hurry) this.#hurry ??= setImmediate(() => this.#commit());
    else this.#commitLater();
    return promise;
  }

  /** On a slow disk less often, so that commits take a fifth of the loop's time at most. */
  #commitLater(): void {
    const waitMs = Math.min(longestWaitMs, Math.max(this.#flushMs, 4 * this.#lastCommitMs));
    this.#timer ??= setTimeout(() => this.#commit(), waitMs);
  }

  /** Everything that waits, in transactions of bounded size; a transaction that fails takes only its own writes along. */
  #commit(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#hurry);
    this.#timer = undefined;
    this.#hurry = undefined;
    const startMs = performance.now();
    while (this.#operations.length > 0) {
      const batch = this.#operations.slice(0, batchLimit);
      this.#operations = this.#operations.slice(batchLimit);
      const failure = this.#transact(batch);
      this.#lastCommitMs = performance.now() - startMs;
      for (const each of batch) failure === undefined ? each.settle() : each.fail(failure);
    }
  }

  #transact(batch: readonly Operation[]): FaultError | undefined {
    try {
      this.#database.exec('begin immediate');
      for (const each of batch) each.apply();
      this.#database.exec('commit');
      return undefined;
    } catch (cause) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      return new FaultError(fault('unavailable', 'the journal could not be written (journal.path)', { cause }));
    }
  }
}

function changed(statement: StatementSync, ...values: (string | number | null)[]): boolean {
  return Number(statement.run(...values).changes) > 0;
}
