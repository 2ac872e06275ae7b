// The writes of the journal on their way to the disk: they wait for company, share one transaction and so one fsync, and are
// committed in the order of the calls. What a disk refuses is tried again until it is taken.

import type { DatabaseSync } from 'node:sqlite';
import { assert } from '../../base/assert.ts';
import { HeldWrites, type HeldWritesOptions, type HoldableWrite } from '../held-writes.ts';

/** A write that waits for its transaction: `apply` runs inside it, `settle` after the commit. */
export interface QueuedWrite extends HoldableWrite {
  readonly apply: () => void;
  readonly settle: () => void;
}

interface RefusedBatch {
  readonly message: string;
  /** The write that is to blame; undefined where it is the disk. */
  readonly culprit: QueuedWrite | undefined;
}

export interface WriteQueueOptions extends Omit<HeldWritesOptions, 'setting'> {
  readonly flushMs: number;
  /** Writes something and takes it back, to learn whether a disk that refused takes writes again. */
  readonly probe: () => void;
}

/** Writes per transaction: bounds how long one commit holds the loop. */
const batchLimit = 2000;
/** However slow the disk is. */
const longestWaitMs = 1000;

export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #options: WriteQueueOptions;
  readonly #held: HeldWrites<QueuedWrite>;
  #lastCommitMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #hurry: NodeJS.Immediate | undefined;

  constructor(database: DatabaseSync, options: WriteQueueOptions) {
    this.#database = database;
    this.#options = options;
    this.#held = new HeldWrites({ ...options, setting: 'journal.path' });
  }

  get trouble(): string | undefined {
    return this.#held.trouble;
  }

  get counts() {
    return this.#held.counts;
  }

  push(write: QueuedWrite): void {
    if (!this.#held.add(write)) return;
    if (write.awaited) this.#hurry ??= setImmediate(() => this.commit());
    else this.#commitLater();
  }

  /** Everything that waits, in transactions of bounded size. True where nothing is left. */
  commit(): boolean {
    this.#callOff();
    if (this.trouble !== undefined && this.#held.size === 0) this.#held.add(this.#makeProbe());
    const startMs = performance.now();
    while (this.#held.size > 0) {
      const batch = this.#held.first(batchLimit);
      const refusal = this.#transact(batch);
      this.#lastCommitMs = performance.now() - startMs;
      if (refusal === undefined) this.#committed(batch);
      else if (refusal.culprit !== undefined) this.#held.drop(refusal.culprit, refusal.message);
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
    return this.#held.lose();
  }

  /** On a slow disk less often, so that commits take a fifth of the loop's time at most. */
  #commitLater(): void {
    if (this.trouble !== undefined) return;
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
    this.#held.committed(batch.length);
    for (const each of batch) each.settle();
  }

  #refused(message: string): void {
    this.#held.refused();
    this.#timer = setTimeout(() => this.commit(), this.#held.hold(message)).unref();
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

  #makeProbe(): QueuedWrite {
    return { apply: this.#options.probe, settle: () => {}, fail: () => {}, awaited: true };
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
