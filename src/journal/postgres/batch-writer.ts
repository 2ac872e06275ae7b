// The writes of the journal on their way to the database: they wait for company, one batch is under way at a time, and
// batches are committed in the order of the calls. A database that refuses or is gone does not lose them: they are held
// and tried again until it takes them, up to a limit. Only what a client waits for is told at once. It must never drop a
// write without a word, and never count one twice.

import type { Client } from 'pg';
import { FaultError, fault } from '../../base/fault.ts';
import type { JournalWrite } from './batch.ts';
import { type BatchOptions, BatchRun } from './batch-run.ts';
import { blamesValues, describeError, isContention } from './connection.ts';

export interface BatchWriterOptions extends BatchOptions {
  readonly flushMs: number;
  /** Writes that are held while the database refuses them; what comes beyond fails. */
  readonly mostHeld: number;
  readonly connect: () => Promise<Client>;
  /** Told when the database begins to refuse, and, with undefined, when it takes writes again. */
  readonly onTrouble: (trouble: string | undefined) => void;
  /** Told what was committed, after those who wait for it. */
  readonly onCommitted: (writes: readonly JournalWrite[]) => void;
}

interface HeldWrite extends JournalWrite {
  readonly sinceMs: number;
}

/** Writes per transaction: bounds how long locks are held, and how much a failed try repeats. */
const batchLimit = 2000;
const firstRetryMs = 250;
const longestRetryMs = 5000;
/** Tries in a row that lost against another transaction before that counts as trouble. */
const mostContentions = 5;

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #client: Client | undefined;
  #waiting: HeldWrite[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #refusals = 0;
  #trouble: string | undefined;
  /** The first so many of those that wait may have been committed by a try whose answer never came. */
  #uncertain = 0;
  #commits = 0;
  #failures = 0;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  get counts() {
    const oldest = this.#waiting[0];
    return {
      unwritten: this.#waiting.length,
      oldestUnwrittenMs: oldest === undefined ? 0 : performance.now() - oldest.sinceMs,
      commits: this.#commits,
      failures: this.#failures,
    };
  }

  push(write: JournalWrite): void {
    const { mostHeld, flushMs } = this.#options;
    if (this.#trouble !== undefined && (write.awaited || this.#waiting.length >= mostHeld)) {
      const limit = write.awaited ? '' : `${mostHeld} writes are held already, the limit: `;
      write.fail(unavailable(limit + this.#trouble));
      return;
    }
    this.#waiting.push({ ...write, sinceMs: performance.now() });
    if (this.#trouble === undefined) this.#later(write.awaited ? 0 : flushMs, write.awaited);
  }

  /** One more try; what the database does not take now fails, and is counted. */
  async close(): Promise<number> {
    await this.#running;
    do await this.#commit();
    while (this.#waiting.length > 0 && this.#trouble === undefined);
    clearTimeout(this.#timer);
    const lost = this.#waiting.splice(0);
    for (const each of lost) each.fail(unavailable(this.#trouble ?? 'it is closed'));
    await this.#client?.end().catch(() => {});
    return lost.length;
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
      if (this.#waiting.length === 0 || this.#timer !== undefined) return;
      this.#later(this.#waiting.some(({ awaited }) => awaited) ? 0 : this.#options.flushMs);
    });
  }

  /** What waits, up to a bound; goes on while there is a full batch more. */
  async #commit(): Promise<void> {
    do {
      const batch = this.#waiting.slice(0, Math.max(batchLimit, this.#uncertain));
      if (batch.length === 0 && this.#trouble === undefined) return;
      try {
        this.#client ??= await this.#options.connect();
        await this.#runBatch(this.#client, batch);
      } catch (error) {
        if (await this.#refused(error, batch)) return;
      }
    } while (this.#waiting.length >= batchLimit);
  }

  async #runBatch(client: Client, batch: readonly HeldWrite[]): Promise<void> {
    const results = await new BatchRun<HeldWrite>(client, this.#options, this.#uncertain > 0).run(batch);
    // Nothing is held: a write that changes nothing shows whether the trouble is over.
    if (batch.length === 0) await client.query(this.#options.statements.probe);
    this.#uncertain = 0;
    this.#refusals = 0;
    this.#commits += 1;
    this.#waiting.splice(0, batch.length);
    if (this.#trouble !== undefined) {
      this.#trouble = undefined;
      this.#options.onTrouble(undefined);
    }
    for (const each of batch) each.settle(results.get(each) ?? false);
    this.#options.onCommitted(batch.filter((each) => results.get(each) !== false));
  }

  /** True where it is the database that refuses: then the rest waits. */
  async #refused(error: unknown, batch: readonly HeldWrite[]): Promise<boolean> {
    this.#refusals += 1;
    if (isContention(error) && this.#refusals <= mostContentions) return false;
    if (blamesValues(error) && this.#client !== undefined) return this.#oneByOne(this.#client, batch);
    this.#failures += 1;
    if (this.#client !== undefined) this.#uncertain = Math.max(this.#uncertain, batch.length);
    this.#disconnect();
    this.#hold(describeError(error));
    return true;
  }

  /** One of them can never succeed and goes alone; the others are written. */
  async #oneByOne(client: Client, batch: readonly HeldWrite[]): Promise<boolean> {
    for (const write of batch) {
      try {
        await this.#runBatch(client, [write]);
      } catch (error) {
        if (!blamesValues(error)) return this.#refused(error, [write]);
        this.#waiting.splice(0, 1);
        write.fail(unavailable(describeError(error)));
      }
    }
    return false;
  }

  #hold(message: string): void {
    const awaited = this.#waiting.filter((each) => each.awaited);
    const sure = this.#waiting.slice(0, this.#uncertain).filter((each) => !each.awaited).length;
    this.#waiting = this.#waiting.filter((each) => !each.awaited);
    this.#uncertain = sure;
    const retryMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(10, this.#refusals - 1));
    this.#timer = setTimeout(() => this.#start(), retryMs).unref();
    const isNew = this.#trouble === undefined;
    this.#trouble = message;
    if (isNew) this.#options.onTrouble(message);
    for (const each of awaited) each.fail(unavailable(message));
  }

  /** Its transaction, if it had one, is rolled back or committed by now: the next try finds out. */
  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.end().catch(() => {});
  }
}

function unavailable(message: string): FaultError {
  return new FaultError(fault('unavailable', `the journal cannot be written (journal.kind postgres): ${message}`));
}
