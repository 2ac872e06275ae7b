// The replicas of one engine as they come and go. A new one gets work only if it is like the others. One that leaves drains: it gets
// nothing new, and what has not ended after a while is done elsewhere.

import type { Timers } from '../../../base/clock.ts';
import { type Fault, fault } from '../../../base/fault.ts';
import { CircuitBreaker } from '../../../remote/circuit-breaker.ts';
import { rootOf } from '../../../remote/connection.ts';
import { FollowedList, type ListedOptions } from '../list/followed-list.ts';
import type { Observe } from './health.ts';
import type { Replica } from './replica.ts';

export interface OpenedReplicas {
  readonly first: readonly Replica[];
  readonly make: (url: string) => Replica;
}

interface FleetListener {
  joined(): void;
  kept(replica: Replica, reason: Fault): void;
  leaving(replica: Replica): void;
  counted(): void;
}

/** Kubernetes lets a stopping pod live so long by default. */
const drainMs = 30_000;
const lookMs = 250;

export class Fleet {
  readonly #all: Replica[];
  readonly #make: (url: string) => Replica;
  readonly #timers: Timers;
  readonly #observe: Observe;
  #up: number;
  #sharersOf: (url: string) => number = () => 1;
  #listed: ReadonlySet<string> | undefined;
  #listener: FleetListener | undefined;

  constructor({ first, make }: OpenedReplicas, timers: Timers, observe: Observe) {
    this.#all = [...first];
    this.#make = make;
    this.#timers = timers;
    this.#observe = observe;
    this.#up = this.usable.length;
  }

  connect(listener: FleetListener): void {
    this.#listener = listener;
  }

  get all(): readonly Replica[] {
    return this.#all;
  }

  get usable(): Replica[] {
    return this.#all.filter(({ isUsable }) => isUsable);
  }

  recount(): void {
    const up = this.usable.length;
    if (up === this.#up) return;
    this.#up = up;
    this.#listener?.counted();
  }

  divide(sharersOf: (url: string) => number): void {
    this.#sharersOf = sharersOf;
    for (const replica of this.#all) replica.divide(sharersOf(replica.connection.url));
  }

  follow(urls: readonly string[]): void {
    this.#listed = new Set(urls.map(rootOf));
    const known = new Map(this.#all.map((each) => [each.connection.url, each]));
    for (const url of this.#listed) {
      const replica = known.get(url);
      if (replica === undefined) void this.#meet(url);
      else if (replica.leavingMs !== undefined) this.#stay(replica);
    }
    this.settle();
  }

  /** Unlisted ones leave only once a listed one is usable: a list of wrong servers empties no fleet. */
  settle(): void {
    const listed = this.#listed;
    if (listed === undefined) return;
    const isListed = ({ connection }: Replica): boolean => listed.has(connection.url);
    if (!this.#all.some((each) => each.isUsable && isListed(each))) return;
    const going = this.#all.filter((each) => each.leavingMs === undefined && !isListed(each));
    for (const replica of going) this.#drain(replica);
  }

  async #meet(url: string): Promise<void> {
    const replica = this.#make(url);
    replica.divide(this.#sharersOf(replica.connection.url));
    this.#all.push(replica);
    const reason = await replica.inspect();
    if (!this.#all.includes(replica)) return;
    if (reason === undefined) {
      replica.breaker = new CircuitBreaker(true, this.#timers.nowMs());
      if (replica.isUsable) this.#join(replica);
      return;
    }
    if (reason.retryable)
      this.#observe?.({ type: 'replica-down', reason: reason.message, url: replica.connection.url });
    this.#listener?.kept(replica, reason);
  }

  #stay(replica: Replica): void {
    replica.leavingMs = undefined;
    if (replica.isUsable) this.#join(replica);
  }

  #join(replica: Replica): void {
    this.#observe?.({ type: 'replica-joined', url: replica.connection.url });
    this.recount();
    this.#listener?.joined();
    this.settle();
  }

  #drain(replica: Replica): void {
    const sinceMs = this.#timers.nowMs();
    replica.leavingMs = sinceMs;
    this.#observe?.({ type: 'replica-leaving', url: replica.connection.url });
    this.recount();
    this.#listener?.leaving(replica);
    this.#look(replica, sinceMs);
  }

  #look(replica: Replica, sinceMs: number): void {
    if (replica.leavingMs !== sinceMs || !this.#all.includes(replica)) return;
    if (replica.inFlight === 0 && replica.attempts.size === 0) return this.#drop(replica);
    const passedMs = this.#timers.nowMs() - sinceMs;
    if (passedMs >= drainMs) {
      const reason = fault('unavailable', `${replica.connection.url} left the list ${passedMs} ms ago`);
      for (const attempt of [...replica.attempts]) attempt.fail(reason);
    }
    this.#timers.after(lookMs, () => this.#look(replica, sinceMs));
  }

  #drop(replica: Replica): void {
    this.#all.splice(this.#all.indexOf(replica), 1);
    replica.connection.close();
    this.#observe?.({ type: 'replica-left', url: replica.connection.url });
  }
}

export function followedBy(fleet: Fleet, listed: ListedOptions, timers: Timers, observe: Observe): FollowedList {
  const { list, everyMs } = listed;
  const known = fleet.all.map(({ connection }) => connection.url);
  return new FollowedList(list, known, everyMs, timers, {
    changed: (urls) => fleet.follow(urls),
    trouble(reason) {
      if (reason === undefined) observe?.({ type: 'replicas-listed', list: list.name });
      else observe?.({ type: 'replicas-unlisted', list: list.name, reason });
    },
  });
}
