// Writes of a journal on their way to the store. A write waits for others, is sent with its batch, and settles: applied, refused or, if the
// store broke off, unsure. An unsure write is sent again, and the store must find its earlier work. Batches go one at a time, in order. It
// never drops a write without a word, and never tells a client before it knows.

import type { Timers } from '../base/clock.ts';
import { FaultError, fault } from '../base/fault.ts';
import type { AppendResult, JournalListener } from './journal.ts';

export interface HoldableWrite {
  readonly settle: (result: unknown) => void;
  readonly fail: (error: FaultError) => void;
  /** A client waits: it is hurried, and told at once when the store refuses. */
  readonly awaited: boolean;
  /** Written instead if its client was told of a failure that may have succeeded; missing if it can be repeated. */
  readonly fallback?: HoldableWrite;
}

export interface Store<Write> {
  /** A client's write is tried at once even during trouble. */
  readonly isLocal: boolean;
  /** Applies all in order, or none; throws a StoreRefusal. `isUnsure`: it may be applied already. */
  commit(
    writes: readonly Write[],
    isUnsure: (write: Write) => boolean,
  ): readonly unknown[] | Promise<readonly unknown[]>;
  /** Writes something and takes it back. Throws a StoreRefusal. */
  probe(): void | Promise<void>;
}

export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
  readonly blames: 'store' | 'contention' | 'values';
  readonly isUnsure: boolean;
  readonly culprit: unknown;

  constructor(
    message: string,
    blames: StoreRefusal['blames'],
    details: { isUnsure?: boolean; culprit?: unknown } = {},
  ) {
    super(message);
    this.blames = blames;
    this.isUnsure = details.isUnsure ?? false;
    this.culprit = details.culprit;
  }
}

interface JournalWriterOptions<Write> {
  readonly store: Store<Write>;
  readonly timers: Timers;
  readonly flushMs: number;
  /** A write waits at least so many times the last commit's length, if commits hold up the process. */
  readonly restFactor: number;
  readonly mostHeld: number;
  readonly onTrouble: (trouble: string | undefined) => void;
  readonly onCommitted?: (writes: readonly Write[], results: readonly unknown[]) => void;
  readonly setting: string;
}

interface HeldWrite<Write> {
  readonly write: Write;
  readonly sinceMs: number;
  isUnsure: boolean;
  patience: (() => void) | undefined;
}

/** Bounds how long a batch holds locks or the loop. */
const batchLimit = 2000;
const longestRestMs = 1000;
const mostContentions = 5;
const firstRetryMs = 250;
const longestRetryMs = 5000;
/** Within the patience of common HTTP clients. */
const patienceMs = 15_000;

export class JournalWriter<Write extends HoldableWrite> {
  readonly #options: JournalWriterOptions<Write>;
  #held: HeldWrite<Write>[] = [];
  #running: Promise<void> | undefined;
  #nextTry: { readonly atMs: number; readonly callOff: () => void } | undefined;
  /** So many of the next writes go one by one: one of them can never be stored. */
  #alone = 0;
  #refusals = 0;
  trouble: string | undefined;
  #commits = 0;
  #failures = 0;
  #lastCommitMs = 0;

  constructor(options: JournalWriterOptions<Write>) {
    this.#options = options;
  }

  get counts() {
    const oldest = this.#held[0];
    return {
      unwritten: this.#held.length,
      oldestUnwrittenMs: oldest === undefined ? 0 : this.#options.timers.nowMs() - oldest.sinceMs,
      commits: this.#commits,
      failures: this.#failures,
    };
  }

  push(write: Write): void {
    const { store, mostHeld, timers } = this.#options;
    if (this.trouble !== undefined) {
      if (write.awaited && !store.isLocal) return this.#fail(write, this.trouble);
      if (this.#held.length >= mostHeld)
        return this.#fail(write, `${mostHeld} writes are held already, the limit: ${this.trouble}`);
    }
    this.#held.push({ write, sinceMs: timers.nowMs(), isUnsure: false, patience: undefined });
    if (write.awaited) this.#tryAfter(0);
    else if (this.trouble === undefined) this.#tryAfter(this.#restMs());
  }

  async close(): Promise<number> {
    await this.#running;
    do await this.#run();
    while (this.#held.length > 0 && this.trouble === undefined);
    this.#nextTry?.callOff();
    const lost = this.#held;
    this.#held = [];
    for (const { write, patience } of lost) {
      patience?.();
      this.#fail(write, this.trouble ?? 'it is closed');
    }
    return lost.length;
  }

  #restMs(): number {
    const { flushMs, restFactor } = this.#options;
    return Math.min(longestRestMs, Math.max(flushMs, restFactor * this.#lastCommitMs));
  }

  #tryAfter(delayMs: number): void {
    const { timers } = this.#options;
    const atMs = timers.nowMs() + delayMs;
    if (this.#running !== undefined || (this.#nextTry !== undefined && this.#nextTry.atMs <= atMs)) return;
    this.#nextTry?.callOff();
    this.#nextTry = { atMs, callOff: timers.after(delayMs, () => void this.#run(), this.trouble === undefined) };
  }

  async #run(): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    this.#nextTry?.callOff();
    this.#nextTry = undefined;
    this.#running = this.#commitAll();
    await this.#running;
    this.#running = undefined;
    if (this.trouble !== undefined)
      this.#tryAfter(Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(10, Math.max(0, this.#refusals - 1))));
    else if (this.#held.length > 0) this.#tryAfter(this.#held.some(({ write }) => write.awaited) ? 0 : this.#restMs());
  }

  async #commitAll(): Promise<void> {
    do {
      const batch = this.#held.slice(0, this.#alone > 0 ? 1 : batchLimit);
      if (batch.length === 0 && this.trouble === undefined) return;
      const startMs = this.#options.timers.nowMs();
      try {
        const results = await this.#send(batch);
        this.#lastCommitMs = this.#options.timers.nowMs() - startMs;
        this.#applied(batch, results);
      } catch (error) {
        if (!(error instanceof StoreRefusal)) throw error;
        if (this.#refused(batch, error) === 'wait') return;
      }
    } while (this.#alone > 0 || this.#held.length >= batchLimit);
  }

  async #send(batch: readonly HeldWrite<Write>[]): Promise<readonly unknown[]> {
    const { store } = this.#options;
    if (batch.length === 0) {
      await store.probe();
      return [];
    }
    const writes = batch.map(({ write }) => write);
    const unsure = new Set(writes.filter((_, at) => batch[at]!.isUnsure));
    return store.commit(writes, (write) => unsure.has(write));
  }

  #applied(batch: readonly HeldWrite<Write>[], results: readonly unknown[]): void {
    this.#remove(batch);
    this.#alone = Math.max(0, this.#alone - batch.length);
    this.#commits += 1;
    this.#refusals = 0;
    const wasTrouble = this.trouble !== undefined;
    this.trouble = undefined;
    for (const [at, { write, patience }] of batch.entries()) {
      patience?.();
      write.settle(results[at]);
    }
    const { onTrouble, onCommitted } = this.#options;
    if (wasTrouble) onTrouble(undefined);
    const writes = batch.map(({ write }) => write);
    onCommitted?.(writes, results);
  }

  #refused(batch: readonly HeldWrite<Write>[], refusal: StoreRefusal): 'again' | 'wait' {
    this.#refusals += 1;
    if (refusal.isUnsure) for (const each of batch) each.isUnsure = true;
    if (refusal.blames === 'contention' && this.#refusals <= mostContentions) return 'again';
    if (refusal.blames === 'values') return this.#blame(batch, refusal);
    this.#hold(refusal.message);
    return 'wait';
  }

  /** If the store does not know the culprit, each write is tried alone. */
  #blame(batch: readonly HeldWrite<Write>[], { message, culprit }: StoreRefusal): 'again' {
    const blamed = batch.length === 1 ? batch[0] : batch.find(({ write }) => write === culprit);
    if (blamed === undefined) {
      this.#alone = batch.length;
      return 'again';
    }
    this.#remove([blamed]);
    this.#alone = Math.max(0, this.#alone - 1);
    blamed.patience?.();
    this.#fail(blamed.write, message);
    return 'again';
  }

  #remove(gone: readonly HeldWrite<Write>[]): void {
    if (gone.every((each, at) => this.#held[at] === each)) this.#held = this.#held.slice(gone.length);
    else this.#held = this.#held.filter((each) => !gone.includes(each));
  }

  /** A client is told now if its write was not applied, else once that is known. */
  #hold(message: string): void {
    this.#failures += 1;
    const isNew = this.trouble === undefined;
    this.trouble = message;
    const told = this.#held.filter(
      ({ write, isUnsure }) => write.awaited && !(isUnsure && write.fallback !== undefined),
    );
    this.#held = this.#held.filter((each) => !told.includes(each));
    for (const each of this.#held)
      if (each.write.awaited) each.patience ??= this.#options.timers.after(patienceMs, () => this.#giveUp(each));
    if (isNew) this.#options.onTrouble(message);
    for (const { write } of told) this.#fail(write, message);
  }

  #giveUp(held: HeldWrite<Write>): void {
    const at = this.#held.indexOf(held);
    if (at < 0) return;
    const write = held.write.fallback as Write;
    this.#held[at] = { write, sinceMs: held.sinceMs, isUnsure: true, patience: undefined };
    this.#fail(held.write, `${this.trouble ?? 'it does not answer'}; it was tried for ${patienceMs / 1000} s`);
  }

  #fail(write: Write, message: string): void {
    const { setting } = this.#options;
    write.fail(new FaultError(fault('unavailable', `the journal cannot be written (${setting}): ${message}`)));
  }
}

export function tellAppended(
  listeners: readonly JournalListener[],
  search: string,
  sequence: number,
  result: AppendResult,
): void {
  if (result === 'differs')
    return tellRefused(listeners, search, `its log has another entry at ${sequence} than the one that was written`);
  for (const each of listeners) {
    if (result === 'stored') each.durable?.(search, sequence);
    else each.lost?.(search);
  }
}

export function tellRefused(listeners: readonly JournalListener[], search: string, why: string): void {
  for (const each of listeners) each.refused?.(search, why);
}
