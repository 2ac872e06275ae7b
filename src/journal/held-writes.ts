// The writes of a journal that wait for their store, in the order of the calls. A store that refuses does not lose them: they are
// held until it takes them, up to a limit, and only what a client waits for is told at once. Says what the trouble is and when
// to try again; when and how to write is the store's own. It must never drop a write without a word.

import { FaultError, fault } from '../base/fault.ts';

export interface HoldableWrite {
  readonly fail: (error: FaultError) => void;
  /** A client waits for it: it is hurried, and told at once when the store refuses. */
  readonly awaited: boolean;
}

export interface HeldWritesOptions {
  /** Writes that are held while the store refuses them; what comes beyond fails. */
  readonly mostHeld: number;
  /** Told when the store begins to refuse, and, with undefined, when it takes writes again. */
  readonly onTrouble: (trouble: string | undefined) => void;
  /** Names the store in messages. */
  readonly setting: string;
}

type Held<Write> = Write & { readonly sinceMs: number };

const firstRetryMs = 250;
const longestRetryMs = 5000;

export class HeldWrites<Write extends HoldableWrite> {
  readonly #options: HeldWritesOptions;
  #writes: Held<Write>[] = [];
  #trouble: string | undefined;
  #refusals = 0;
  #commits = 0;
  #failures = 0;

  constructor(options: HeldWritesOptions) {
    this.#options = options;
  }

  /** Why the store refuses; undefined while it does not. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get counts() {
    const oldest = this.#writes[0];
    return {
      unwritten: this.#writes.length,
      oldestUnwrittenMs: oldest === undefined ? 0 : performance.now() - oldest.sinceMs,
      commits: this.#commits,
      failures: this.#failures,
    };
  }

  get size(): number {
    return this.#writes.length;
  }

  get isAwaited(): boolean {
    return this.#writes.some(({ awaited }) => awaited);
  }

  first(count: number): readonly Write[] {
    return this.#writes.slice(0, count);
  }

  /** False where it is one too many, and has failed. */
  add(write: Write): boolean {
    const { mostHeld } = this.#options;
    if (this.#trouble !== undefined && this.#writes.length >= mostHeld) {
      this.fail(write, `${mostHeld} writes are held already, the limit: ${this.#trouble}`);
      return false;
    }
    this.#writes.push({ ...write, sinceMs: performance.now() });
    return true;
  }

  /** The store has taken the first so many. */
  committed(count: number): void {
    this.#writes = this.#writes.slice(count);
    this.#commits += 1;
    this.#refusals = 0;
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#options.onTrouble(undefined);
  }

  /** A write that can never succeed goes alone. */
  drop(culprit: Write, message: string): void {
    this.#writes = this.#writes.filter((each) => each !== culprit);
    this.fail(culprit, message);
  }

  /** A try has failed; gives how many in a row. */
  refused(): number {
    this.#refusals += 1;
    return this.#refusals;
  }

  /** The store is in trouble: holds what nobody waits for. Gives the milliseconds until the next try. */
  hold(message: string): number {
    this.#failures += 1;
    const awaited = this.#writes.filter((each) => each.awaited);
    this.#writes = this.#writes.filter((each) => !each.awaited);
    const isNew = this.#trouble === undefined;
    this.#trouble = message;
    if (isNew) this.#options.onTrouble(message);
    for (const each of awaited) this.fail(each, message);
    return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(10, this.#refusals - 1));
  }

  /** The journal is closed: what is left fails, and is counted. */
  lose(): number {
    const lost = this.#writes;
    this.#writes = [];
    for (const each of lost) this.fail(each, this.#trouble ?? 'it is closed');
    return lost.length;
  }

  fail(write: Write, message: string): void {
    const { setting } = this.#options;
    write.fail(new FaultError(fault('unavailable', `the journal cannot be written (${setting}): ${message}`)));
  }
}
