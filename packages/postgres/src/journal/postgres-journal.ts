// The journal in a PostgreSQL that several processes share. Writes go through one writer (journal-writer.ts) in the order of the calls, fenced
// by statements.ts. A bell (bell.ts) reports other processes' writes. It must never answer from memory what the tables know.

import { hostname } from 'node:os';
import { type FaultError, liveTimers, raise, type Timers } from '@coppice/core/base';
import {
  type Acceptance,
  type AppendResult,
  type Documents,
  damagedOutcome,
  type EndedQuery,
  type Ending,
  type FinishedSearch,
  type Journal,
  type JournalHealth,
  type JournalListener,
  JournalWriter,
  type ListQuery,
  type NewSearch,
  onceEach,
  type Retention,
  type SearchRecord,
  type Store,
  splitEntry,
  storable,
  type TextKeeping,
  tellAppended,
  tellRefused,
  toEnded,
  toEntry,
  toListed,
  toRecord,
} from '@coppice/core/journal';
import { type LogEntry, type LogFormats, logFormats } from '@coppice/core/log';
import pg, { type Client } from 'pg';
import type { JournalWrite, WriteKind } from './batch.ts';
import { Bell, type BellMessage } from './bell.ts';
import { clientConfig, connect, type DatabaseOptions, databaseFault, StatementFault } from './connection.ts';
import { PostgresDocuments } from './postgres-documents.ts';
import { PostgresStore } from './postgres-store.ts';
import { checkSchema } from './schema.ts';
import { makeStatements, type PostgresStatements } from './statements.ts';

export interface PostgresJournalOptions extends DatabaseOptions {
  readonly texts?: TextKeeping;
  /** Formats of the logs that this process writes and continues. */
  readonly formats?: LogFormats;
  /** Longest time that an entry waits for others before its commit. */
  readonly flushMs?: number;
  /** Most writes kept in memory while the database refuses them. */
  readonly mostHeld?: number;
  /** Gets one line about each row that cannot be read. */
  readonly onDamage?: (message: string) => void;
}

/** Some hundred MB at worst; beyond it, searches whose log cannot be kept end. */
const mostHeld = 200_000;
/** Connections for reading, besides one for writing and one for the bell. */
const readers = 4;

type DatabaseRow = Readonly<Record<string, unknown>>;

type ReadName = 'find' | 'list' | 'listSession' | 'ended' | 'unfinished' | 'read' | 'size' | 'sweep' | 'remove';

/** The parts that use the server; tests replace them. */
export interface PostgresParts {
  readonly store: Store<JournalWrite> & { close(): Promise<void> };
  /** Throws faults with a one-line message. */
  run(
    name: ReadName,
    values: unknown[],
  ): Promise<{ readonly rows: readonly DatabaseRow[]; readonly rowCount: number | null }>;
  readonly bell: Pick<Bell, 'open' | 'ring' | 'close'>;
  readonly documents: Documents;
  readonly timers: Timers;
  close(): Promise<void>;
}

export interface BellEars {
  hear(message: BellMessage): void;
  missed(): void;
}

export class PostgresJournal implements Journal {
  readonly texts: TextKeeping;
  readonly documents: Documents;
  /** Name of this process, unique among those that share the database. */
  readonly node: string;
  /** Called when another process has put a search of this model into the queue between nodes. */
  onQueued: (model: string) => void = () => {};
  readonly #urlEnv: string;
  readonly #parts: PostgresParts;
  readonly #writer: JournalWriter<JournalWrite>;
  readonly #listeners: JournalListener[] = [];
  readonly #onDamage: (message: string) => void;
  #bytes = 0;

  constructor(
    options: Pick<PostgresJournalOptions, 'urlEnv' | 'texts' | 'flushMs' | 'mostHeld' | 'onDamage'>,
    node: string,
    makeParts: (ears: BellEars, onDamage: (message: string) => void) => PostgresParts,
  ) {
    this.texts = options.texts ?? 'keep';
    this.node = node;
    this.#urlEnv = options.urlEnv;
    this.#onDamage = onceEach(options.onDamage ?? (() => {}));
    this.#parts = makeParts(
      { hear: (message) => this.#hear(message), missed: () => this.#tellMissed() },
      this.#onDamage,
    );
    this.documents = this.#parts.documents;
    this.#writer = new JournalWriter({
      store: this.#parts.store,
      timers: this.#parts.timers,
      setting: 'journal.kind postgres',
      flushMs: options.flushMs ?? 20,
      restFactor: 0,
      mostHeld: options.mostHeld ?? mostHeld,
      onTrouble: (trouble) => this.#tellTrouble(trouble === undefined ? undefined : this.#explain(trouble)),
      onCommitted: (writes, results) => this.#ringFor(writes.filter((_, at) => isDone(results[at]))),
    });
  }

  /** Throws a one-line fault for a wrong address, missing rights, or tables of another version. */
  static async open(options: PostgresJournalOptions): Promise<PostgresJournal> {
    if (!/^[a-z_][a-z0-9_]{0,50}$/.test(options.schema))
      raise('bad-setting', `journal.schema is '${options.schema}'; it takes lower-case letters, digits and _`);
    const client = await connect(options);
    try {
      await checkSchema(client, options.schema);
      const statements = makeStatements(options.schema);
      await client.query(statements.probe);
      await client.query(statements.size);
      await endDamaged(client, statements, options.onDamage);
    } catch (error) {
      throw databaseFault(error, options);
    } finally {
      await client.end().catch(() => {});
    }
    const name = `${hostname()}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
    const journal = new PostgresJournal(options, name, (ears, onDamage) => connectParts(options, name, ears, onDamage));
    await journal.open();
    return journal;
  }

  /** Starts to listen to other processes. */
  open(): Promise<void> {
    return this.#parts.bell.open();
  }

  accept(search: NewSearch): Promise<Acceptance> {
    const { id, background, idempotencyKey } = search;
    const isAwaited = background || idempotencyKey !== undefined;
    return new Promise((resolve, reject) => {
      const settle = (result: unknown) => resolve(result as Acceptance);
      const write = { kind: 'accept', search: id, row: this.#acceptRow(search), settle, fail: reject } as const;
      this.#writer.push({
        ...write,
        awaited: isAwaited,
        fallback: this.#fallbackOf(write, idempotencyKey !== undefined),
      });
    });
  }

  /** The write if the database stays away. Without a key the client cannot ask again, so its search is retracted. */
  #fallbackOf(write: Omit<JournalWrite, 'awaited'>, hasKey: boolean): JournalWrite {
    const fail = () => {};
    if (!hasKey) return { ...write, kind: 'retract', settle: () => {}, fail, awaited: false };
    const settle = (result: unknown) => {
      if ((result as Acceptance).fresh) this.#tell('acceptedLate', write.search);
    };
    return { ...write, settle, fail, awaited: false };
  }

  claim(id: string, epoch: number, atMs: number): Promise<boolean> {
    return this.#write('claim', id, () => ({ id, epoch, at_ms: atMs }), false);
  }

  begin(id: string, epoch: number, runs: number): Promise<boolean> {
    return this.#write('begin', id, () => ({ id, epoch, runs }), false);
  }

  outlive(id: string): Promise<boolean> {
    return this.#write('outlive', id, () => ({}), false);
  }

  append(epoch: number, entry: LogEntry): void {
    const { search, sequence } = entry;
    const settle = (result: unknown) => tellAppended(this.#listeners, search, sequence, result as AppendResult);
    const fail = ({ fault: { message } }: FaultError) => tellRefused(this.#listeners, search, message);
    this.#writer.push({ kind: 'append', search, row: this.#entryRow(epoch, entry), settle, fail, awaited: false });
  }

  flush(): Promise<void> {
    return this.#write('flush', '', () => ({}), true);
  }

  finish(id: string, epoch: number, ending: Ending): Promise<boolean> {
    return this.#write('finish', id, () => this.#finishRow(id, epoch, ending), false);
  }

  requestCancel(id: string): Promise<boolean> {
    return this.#write('cancel', storable(id), () => ({}), true);
  }

  async find(id: string): Promise<SearchRecord | undefined> {
    const [row] = await this.#read('find', [storable(id)]);
    return row === undefined ? undefined : toRecord(row);
  }

  async list({ owner, session, states, before, limit }: ListQuery): Promise<SearchRecord[]> {
    const wanted = [owner ?? null, states ?? null, storable(before ?? '~'), limit];
    const rows = session === undefined ? this.#read('list', wanted) : this.#read('listSession', [...wanted, session]);
    return (await rows).map(toListed);
  }

  async ended({ owner, fromMs, before, limit }: EndedQuery): Promise<FinishedSearch[]> {
    const wanted = [fromMs, before.endedMs, storable(before.id), owner ?? null, limit];
    return (await this.#read('ended', wanted)).map(toEnded);
  }

  async unfinished(): Promise<SearchRecord[]> {
    const records = (await this.#read('unfinished', [])).map(toRecord);
    for (const { damage } of records) if (damage !== undefined) this.#onDamage(damage);
    return records.filter(({ damage }) => damage === undefined);
  }

  async read(search: string, after: number, limit: number): Promise<LogEntry[]> {
    const rows = await this.#read('read', [storable(search), after, limit]);
    return rows.map((row) => toEntry(search, row));
  }

  async sweep({ endedBeforeMs, keepSearches, atMost }: Retention): Promise<number> {
    const [size] = await this.#read('size', []);
    this.#bytes = Number(size?.bytes ?? 0);
    return (await this.#parts.run('sweep', [endedBeforeMs, keepSearches, atMost])).rowCount ?? 0;
  }

  /** Tells other processes that the queue between nodes has a search of this model. */
  ringQueued(model: string): void {
    this.#parts.bell.ring({ queued: model });
  }

  async remove(id: string): Promise<boolean> {
    return ((await this.#parts.run('remove', [id])).rowCount ?? 0) > 0;
  }

  listen(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  get trouble(): string | undefined {
    const { trouble } = this.#writer;
    return trouble === undefined ? undefined : this.#explain(trouble);
  }

  /** `bytes` is that of the last sweep. */
  health(): JournalHealth {
    return { ...this.#writer.counts, bytes: this.#bytes };
  }

  async close(): Promise<void> {
    const unwritten = await this.#writer.close();
    if (unwritten > 0) this.#tellTrouble(`the journal was closed with ${unwritten} writes that it could not take`);
    await this.#parts.store.close();
    await this.#parts.bell.close();
    await this.#parts.close();
  }

  #write<Result>(kind: WriteKind, search: string, makeRow: () => JournalWrite['row'], awaited: boolean) {
    return new Promise<Result>((resolve, reject) => {
      const settle = (result: unknown) => resolve(result as Result);
      this.#writer.push({ kind, search, row: makeRow(), settle, fail: reject, awaited });
    });
  }

  async #read(name: ReadName, values: unknown[]): Promise<readonly DatabaseRow[]> {
    return (await this.#parts.run(name, values)).rows;
  }

  #acceptRow(search: NewSearch): JournalWrite['row'] {
    const { id, owner, idempotencyKey, fingerprint, background, createdMs, session = null, about } = search;
    const isKept = this.texts !== 'never';
    return {
      id,
      owner,
      idempotency: idempotencyKey ?? null,
      fingerprint,
      background: background ? 1 : 0,
      created_ms: createdMs,
      session,
      about: JSON.stringify(about),
      title: isKept ? storable(search.title) : null,
      request: isKept ? JSON.stringify(search.request) : null,
    };
  }

  #entryRow(epoch: number, entry: LogEntry): JournalWrite['row'] {
    const { search, sequence, atMs } = entry;
    const { body, texts } = splitEntry(entry);
    const kept = texts === undefined || this.texts === 'never' ? null : JSON.stringify(texts);
    return { search, sequence, epoch, at_ms: atMs, body: JSON.stringify(body), texts: kept };
  }

  #finishRow(id: string, epoch: number, ending: Ending): JournalWrite['row'] {
    const { state, endedMs, outcome, texts, lastSequence = null } = ending;
    const kept = this.texts === 'keep' ? JSON.stringify(texts) : null;
    return { id, epoch, state, ended_ms: endedMs, outcome: JSON.stringify(outcome), texts: kept, last: lastSequence };
  }

  // ---- messages to listeners -------------------------------------------------------------------------------------

  #ringFor(writes: readonly JournalWrite[]): void {
    const grown = new Map<string, number>();
    for (const { kind, search, row } of writes) if (kind === 'append') grown.set(search, Number(row.sequence));
    const of = (wanted: WriteKind) => writes.filter(({ kind }) => kind === wanted).map(({ search }) => search);
    const [ended, cancelled] = [of('finish'), of('cancel')];
    if (grown.size + ended.length + cancelled.length > 0)
      this.#parts.bell.ring({ grown: [...grown], ended, cancelled });
  }

  #hear({ grown = [], ended = [], cancelled = [], queued }: BellMessage): void {
    if (queued !== undefined) this.onQueued(queued);
    for (const [search, sequence] of grown) for (const each of this.#listeners) each.grownElsewhere?.(search, sequence);
    for (const search of cancelled) this.#tell('cancelRequested', search);
    for (const search of ended) this.#tell('endedElsewhere', search);
  }

  #tell(what: 'cancelRequested' | 'endedElsewhere' | 'acceptedLate', search: string): void {
    for (const each of this.#listeners) each[what]?.(search);
  }

  #tellMissed(): void {
    for (const each of this.#listeners) each.missed?.();
  }

  #tellTrouble(trouble: string | undefined): void {
    for (const each of this.#listeners) each.trouble?.(trouble);
  }

  #explain(trouble: string): string {
    return `the journal cannot be written: ${trouble}; ${this.#urlEnv} says where its database is`;
  }
}

/** True if the write changed something, now or in an earlier try. */
function isDone(result: unknown): boolean {
  return result !== false && result !== 'lost' && result !== 'differs';
}

function connectParts(
  options: PostgresJournalOptions,
  node: string,
  { hear, missed }: BellEars,
  onDamage: (message: string) => void,
): PostgresParts {
  const { schema, texts, formats = logFormats } = options;
  const statements: PostgresStatements = makeStatements(schema);
  const connectOne = () => connect(options);
  const pool = new pg.Pool({ ...clientConfig(options), max: readers });
  pool.on('error', () => {});
  const query = async (sql: string, values: unknown[]) => {
    try {
      return await pool.query(sql, values);
    } catch (error) {
      throw new StatementFault(error, options);
    }
  };
  return {
    store: new PostgresStore({ statements, node, formats, erasesTexts: texts === 'until-end', connect: connectOne }),
    run: (name, values) => query(statements[name], values),
    bell: new Bell({ channel: `${schema}_bell`, node, connect: connectOne, hear, onMissed: missed }),
    documents: new PostgresDocuments(schema, query, onDamage),
    timers: liveTimers,
    close: () => pool.end(),
  };
}

/**
 * Ends searches whose row cannot be read as failed. The nodes query the facts of all unfinished searches, and one such row would
 * break the query. The row stays as it is.
 */
async function endDamaged(
  client: Client,
  { unfinished, fail }: PostgresStatements,
  onDamage: (message: string) => void = () => {},
): Promise<void> {
  for (const { id, damage } of (await client.query(unfinished)).rows.map(toRecord)) {
    if (damage === undefined) continue;
    await client.query(fail, [id, JSON.stringify(damagedOutcome(damage))]);
    onDamage(`the journal is damaged (${damage}); the row stays as it is, and its search has failed`);
  }
}
