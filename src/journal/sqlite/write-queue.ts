// The writes of the journal on their way to the disk: they wait for company, share one transaction and so one fsync, and are
// committed in the order of the calls. A disk that refuses them does not lose them: they are held and tried again until it
// takes them, up to a limit. Only what a client waits for is told at once. It must never drop a write without a word.

import type { DatabaseSync } from 'node:sqlite';
import { assert } from '../../base/assert.ts';
import { FaultError, fault } from '../../base/fault.ts';

/** A write that waits for its transaction: `apply` runs inside it, `settle` after the commit. */
export interface QueuedWrite {
  readonly apply: () => void;
  readonly settle: () => void;
  readonly fail: (error: FaultError) => void;
  /** A client waits for it: it is hurried, and told at once when the disk refuses. */
  readonly awaited: boolean;
}

interface WaitingWrite extends QueuedWrite {
  readonly sinceMs: number;
}

interface RefusedBatch {
  readonly message: string;
  /** The write that is to blame; undefined where it is the disk. */
  readonly culprit: QueuedWrite | undefined;
}

export interface WriteQueueOptions {
  readonly flushMs: number;
  /** Writes that are held while the disk refuses them; what comes beyond fails. */
  readonly mostHeld: number;
  /** Writes something and takes it back, to learn whether a disk that refused takes writes again. */
  readonly probe: () => void;
  /** Told when the disk begins to refuse, and, with undefined, when it takes writes again. */
  readonly onTrouble: (trouble: string | undefined) => void;
}

/** Writes per transaction: bounds how long one commit holds the loop. */
const batchLimit = 2000;
/** However slow the disk is. */
const longestWaitMs = 1000;
const firstRetryMs = 250;
const longestRetryMs = 5000;

export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #options: WriteQueueOptions;
  #waiting: WaitingWrite[] = [];
  #lastCommitMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #hurry: NodeJS.Immediate | undefined;
  #refusals = 0;
  #trouble: string | undefined;
  #commits = 0;
  #failures = 0;

  constructor(database: DatabaseSync, options: WriteQueueOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Why the disk refuses; undefined while it does not. */
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

  push(write: QueuedWrite): void {
    const { mostHeld } = this.#options;
    if (this.#trouble !== undefined && this.#waiting.length >= mostHeld) {
      write.fail(unavailable(`${mostHeld} writes are held already, the limit: ${this.#trouble}`));
      return;
    }
    this.#waiting.push({ ...write, sinceMs: performance.now() });
    if (write.awaited) this.#hurry ??= setImmediate(() => this.commit());
    else this.#commitLater();
  }

  /** Everything that waits, in transactions of bounded size. True where nothing is left. */
  commit(): boolean {
    this.#callOff();
    if (this.#trouble !== undefined && this.#waiting.length === 0) this.#waiting.push(this.#makeProbe());
    const startMs = performance.now();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchLimit);
      const refusal = this.#transact(batch);
      this.#lastCommitMs = performance.now() - startMs;
      if (refusal === undefined) this.#committed(batch);
      else if (refusal.culprit !== undefined) this.#drop(refusal.culprit, refusal.message);
      else {
        this.#refused(refusal.message);
        return false;
      }
    }
    return true;
  }

  /** One more try; what the disk does not take now fails, and is counted. */
  close(): number {
    if (this.commit()) return 0;
    this.#callOff();
    const lost = this.#waiting;
    this.#waiting = [];
    for (const each of lost) each.fail(unavailable(this.#trouble ?? 'it is closed'));
    return lost.length;
  }

  /** On a slow disk less often, so that commits take a fifth of the loop's time at most. */
  #commitLater(): void {
    if (this.#trouble !== undefined) return;
    const waitMs = Math.min(longestWaitMs, Math.max(this.#options.flushMs, 4 * this.#lastCommitMs));
    this.#timer ??= setTimeout(() => this.commit(), waitMs);
  }

  #callOff(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#hurry);
    this.#timer = undefined;
    this.#hurry = undefined;
  }

  #committed(batch: readonly QueuedWrite[]): void {
    this.#waiting = this.#waiting.slice(batch.length);
    this.#commits += 1;
    this.#refusals = 0;
    if (this.#trouble !== undefined) {
      this.#trouble = undefined;
      this.#options.onTrouble(undefined);
    }
    for (const each of batch) each.settle();
  }

  #refused(message: string): void {
    this.#failures += 1;
    const awaited = this.#waiting.filter((each) => each.awaited);
    this.#waiting = this.#waiting.filter((each) => !each.awaited);
    const retryMs = Math.min(longestRetryMs, firstRetryMs * 2 ** this.#refusals);
    this.#refusals += 1;
    this.#timer = setTimeout(() => this.commit(), retryMs).unref();
    const isNew = this.#trouble === undefined;
    this.#trouble = message;
    if (isNew) this.#options.onTrouble(message);
    for (const each of awaited) each.fail(unavailable(message));
  }

  /** A write that can never succeed goes alone. */
  #drop(culprit: QueuedWrite, message: string): void {
    this.#waiting = this.#waiting.filter((each) => each !== culprit);
    culprit.fail(unavailable(message));
  }

  #transact(batch: readonly QueuedWrite[]): RefusedBatch | undefined {
    let applying: QueuedWrite | undefined;
    try {
      this.#database.exec('begin immediate');
      for (const each of batch) {
        applying = each;
        each.apply();
      }
      applying = undefined;
      this.#database.exec('commit');
      return undefined;
    } catch (cause) {
      this.#rollBack();
      assert(cause instanceof Error, 'only errors are thrown');
      return { message: cause.message, culprit: isTroubleOfDisk(cause) ? undefined : applying };
    }
  }

  #makeProbe(): WaitingWrite {
    return { apply: this.#options.probe, settle: () => {}, fail: () => {}, awaited: true, sinceMs: performance.now() };
  }

  /** SQLite may have done it itself; on a disk that fails, this may fail too and changes nothing. */
  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback');
    } catch {
      // The next `begin` tells.
    }
  }
}

/** SQLite's primary codes that blame the values of one statement: too big, constraint, mismatch, range. */
const blamesValues: ReadonlySet<number> = new Set([18, 19, 20, 25]);

function isTroubleOfDisk(error: Error): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && !blamesValues.has(errcode & 0xff);
}

function unavailable(message: string): FaultError {
  return new FaultError(fault('unavailable', `the journal cannot be written (journal.path): ${message}`));
}
