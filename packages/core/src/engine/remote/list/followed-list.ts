// A list that is read again and again. Tells who stands on it when that changes; a list that is empty or cannot be read changes
// nothing: the replicas that were known last stay, and the operator is told once why, and once when it is read again.

import type { Timers } from '../../../base/timers.ts';
import { type ReplicaList, unread } from './replica-list.ts';

export interface ListedOptions {
  readonly list: ReplicaList;
  readonly apiKey?: string;
  readonly everyMs: number;
}

interface ListListener {
  changed(urls: readonly string[]): void;
  /** `reason`: why it is not followed from now on; undefined once it is again. */
  trouble(reason: string | undefined): void;
}

export class FollowedList {
  readonly #list: ReplicaList;
  readonly #timers: Timers;
  readonly #everyMs: number;
  readonly #listener: ListListener;
  #known: string;
  #trouble: string | undefined;
  #isStopped = false;

  /** `known`: what was read of it when the engine was opened. */
  constructor(list: ReplicaList, known: readonly string[], everyMs: number, timers: Timers, listener: ListListener) {
    this.#list = list;
    this.#known = keyOf(known);
    this.#everyMs = everyMs;
    this.#timers = timers;
    this.#listener = listener;
    this.#later();
  }

  /** Why the replicas are those that were known last, and not what the list says now. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  stop(): void {
    this.#isStopped = true;
  }

  #later(): void {
    this.#timers.after(this.#everyMs, () => void this.#read());
  }

  async #read(): Promise<void> {
    if (this.#isStopped) return;
    const read = await readOnce(this.#list);
    if (this.#isStopped) return;
    if (typeof read === 'string') this.#fail(read);
    else this.#take(read);
    this.#later();
  }

  #take(urls: readonly string[]): void {
    if (this.#trouble !== undefined) this.#listener.trouble(undefined);
    this.#trouble = undefined;
    const key = keyOf(urls);
    if (key === this.#known) return;
    this.#known = key;
    this.#listener.changed(urls);
  }

  #fail(reason: string): void {
    if (this.#trouble !== reason) this.#listener.trouble(reason);
    this.#trouble = reason;
  }
}

/** The servers on it, or why there are none to go by. */
export async function readOnce(list: ReplicaList): Promise<readonly string[] | string> {
  try {
    const urls = await list.read();
    return urls.length > 0 ? urls : `${list.name} is empty`;
  } catch (error) {
    return unread(list.name, error).fault.message;
  }
}

function keyOf(urls: readonly string[]): string {
  return [...urls].sort().join('\n');
}
