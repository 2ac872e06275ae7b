// The writes of the journal on their way to the database: they wait for company, one batch is under way at a time, and
// batches are committed in the order of the calls. What a database refuses, or one that is gone, is tried again until it is
// taken. It must never drop a write without a word, and never count one twice.

import type { Client } from 'pg';
import { HeldWrites, type HeldWritesOptions } from '../held-writes.ts';
import type { JournalWrite } from './batch.ts';
import { type BatchOptions, BatchRun } from './batch-run.ts';
import { blamesValues, describeError, isContention } from './connection.ts';

export interface BatchWriterOptions extends BatchOptions, Omit<HeldWritesOptions, 'setting'> {
  readonly flushMs: number;
  readonly connect: () => Promise<Client>;
  /** Told what was committed, after those who wait for it. */
  readonly onCommitted: (writes: readonly JournalWrite[]) => void;
}

/** Writes per transaction: bounds how long locks are held, and how much a failed try repeats. */
const batchLimit = 2000;
/** Tries in a row that lost against another transaction before that counts as trouble. */
const mostContentions = 5;

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #client: Client | undefined;
  readonly #held: HeldWrites<JournalWrite>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** The first so many of those that wait may have been committed by a try whose answer never came. */
  #uncertain = 0;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
    this.#held = new HeldWrites({ ...options, setting: 'journal.kind postgres' });
  }

  get trouble(): string | undefined {
    return this.#held.trouble;
  }

  get counts() {
    return this.#held.counts;
  }

  push(write: JournalWrite): void {
    const { trouble } = this;
    if (trouble !== undefined && write.awaited) return this.#held.fail(write, trouble);
    if (this.#held.add(write) && trouble === undefined)
      this.#later(write.awaited ? 0 : this.#options.flushMs, write.awaited);
  }

  /** One more try; what the database does not take now fails, and is counted. */
  async close(): Promise<number> {
    await this.#running;
    do await this.#commit();
    while (this.#held.size > 0 && this.trouble === undefined);
    clearTimeout(this.#timer);
    const lost = this.#held.lose();
    await this.#client?.end().catch(() => {});
    return lost;
  }

  #later(waitMs: number, hurry = false): void {
    if (this.#timer !== undefined && !hurry) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#start(), waitMs);
  }

  #start(): void {
    this.#timer = undefined;
    if (this.#running !== undefined) return;
    this.#running = this.#commit().finally(() => {
      this.#running = undefined;
      if (this.#held.size === 0 || this.#timer !== undefined) return;
      this.#later(this.#held.isAwaited ? 0 : this.#options.flushMs);
    });
  }

  /** What waits, up to a bound; goes on while there is a full batch more. */
  async #commit(): Promise<void> {
    do {
      const batch = this.#held.first(Math.max(batchLimit, this.#uncertain));
      if (batch.length === 0 && this.trouble === undefined) return;
      try {
        this.#client ??= await this.#options.connect();
        await this.#runBatch(this.#client, batch);
      } catch (error) {
        if (await this.#refused(error, batch)) return;
      }
    } while (this.#held.size >= batchLimit);
  }

  async #runBatch(client: Client, batch: readonly JournalWrite[]): Promise<void> {
    const results = await new BatchRun<JournalWrite>(client, this.#options, this.#uncertain > 0).run(batch);
    // Nothing is held: a write that changes nothing shows whether the trouble is over.
    if (batch.length === 0) await client.query(this.#options.statements.probe);
    this.#uncertain = 0;
    this.#held.committed(batch.length);
    for (const each of batch) each.settle(results.get(each) ?? false);
    this.#options.onCommitted(batch.filter((each) => results.get(each) !== false));
  }

  /** True where it is the database that refuses: then the rest waits. */
  async #refused(error: unknown, batch: readonly JournalWrite[]): Promise<boolean> {
    const refusals = this.#held.refused();
    if (isContention(error) && refusals <= mostContentions) return false;
    if (blamesValues(error) && this.#client !== undefined) return this.#oneByOne(this.#client, batch);
    if (this.#client !== undefined) this.#uncertain = Math.max(this.#uncertain, batch.length);
    this.#disconnect();
    this.#hold(describeError(error));
    return true;
  }

  /** One of them can never succeed and goes alone; the others are written. */
  async #oneByOne(client: Client, batch: readonly JournalWrite[]): Promise<boolean> {
    for (const write of batch) {
      try {
        await this.#runBatch(client, [write]);
      } catch (error) {
        if (!blamesValues(error)) return this.#refused(error, [write]);
        this.#held.drop(write, describeError(error));
      }
    }
    return false;
  }

  #hold(message: string): void {
    this.#uncertain = this.#held.first(this.#uncertain).filter((each) => !each.awaited).length;
    this.#timer = setTimeout(() => this.#start(), this.#held.hold(message)).unref();
  }

  /** Its transaction, if it had one, is rolled back or committed by now: the next try finds out. */
  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.end().catch(() => {});
  }
}
