// Reads a list again and again and tells changes. An empty or unreadable list changes nothing; the operator is told once.

import type { Timers } from '../../../base/clock.ts';
import { type ReplicaList, unread } from './replica-list.ts';

export interface ListedOptions {
  readonly list: ReplicaList;
  readonly apiKey?: string | undefined;
  readonly everyMs: number;
}

interface ListListener {
  changed(urls: readonly string[]): void;
  trouble(reason: string | undefined): void;
}

export class FollowedList {
  readonly #list: ReplicaList;
  readonly #timers: Timers;
  readonly #everyMs: number;
  readonly #listener: ListListener;
  #known: string;
  /** Why the replicas are those that were known last. */
  trouble: string | undefined;
  #isStopped = false;

  constructor(list: ReplicaList, known: readonly string[], everyMs: number, timers: Timers, listener: ListListener) {
    this.#list = list;
    this.#known = keyOf(known);
    this.#everyMs = everyMs;
    this.#timers = timers;
    this.#listener = listener;
    this.#later();
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
    if (this.trouble !== undefined) this.#listener.trouble(undefined);
    this.trouble = undefined;
    const key = keyOf(urls);
    if (key === this.#known) return;
    this.#known = key;
    this.#listener.changed(urls);
  }

  #fail(reason: string): void {
    if (this.trouble !== reason) this.#listener.trouble(reason);
    this.trouble = reason;
  }
}

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
