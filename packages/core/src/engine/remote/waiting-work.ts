// Where work waits before it is sent: in the queue of the replica that its search lives on, or parked while none is up. Sends nothing, and
// forgets nothing but what was cancelled.

import type { Awaited } from './flight/awaited.ts';
import { type Job, liveChildren } from './flight/queue.ts';
import type { Affinity } from './replica/affinity.ts';
import type { Replica } from './replica/replica.ts';
import type { Watch } from './replica/watch.ts';

export class WaitingWork {
  readonly #affinity: Affinity;
  readonly #awaited: Awaited;
  readonly #watch: Watch;
  #parked: Job[] = [];
  /** Where work waits, or did when this was last read: mostly nowhere, since servers have room. */
  readonly #places = new Set<Replica>();

  constructor(affinity: Affinity, awaited: Awaited, watch: Watch) {
    this.#affinity = affinity;
    this.#awaited = awaited;
    this.#watch = watch;
  }

  place(job: Job, avoid?: Replica): void {
    this.#awaited.tellCustody('held', job);
    const replica = this.#affinity.choose(job.search, avoid);
    if (replica === undefined) {
      this.#parked.push(job);
      return this.#watch.arm();
    }
    replica.queue.push(job);
    this.#places.add(replica);
  }

  among(replicas: readonly Replica[]): readonly Replica[] {
    for (const replica of this.#places) if (replica.queue.peek() === undefined) this.#places.delete(replica);
    if (this.#places.size < 2) return [...this.#places];
    return replicas.filter((each) => this.#places.has(each));
  }

  /** A replica is out: what waited there waits elsewhere. */
  leave(replica: Replica): void {
    this.#affinity.evict(replica);
    for (let job = replica.queue.pop(); job !== undefined; job = replica.queue.pop()) this.place(job, replica);
  }

  /** A replica has come or is back: what was parked may go there, and what piled up elsewhere, by the rule of every choice. */
  spread(replicas: readonly Replica[]): void {
    this.unpark();
    const waiting = replicas.flatMap(({ queue }) => {
      const jobs: Job[] = [];
      for (let job = queue.pop(); job !== undefined; job = queue.pop()) jobs.push(job);
      return jobs;
    });
    for (const job of waiting.sort((a, b) => a.order - b.order)) this.place(job);
  }

  /** A replica is back: what was parked may go there. */
  unpark(): void {
    const parked = this.#parked;
    this.#parked = [];
    for (const job of parked) if (liveChildren(job).length > 0) this.place(job);
  }

  get parkedSequences(): number {
    return this.#parked.reduce((sum, job) => sum + liveChildren(job).length, 0);
  }

  /** Takes out what has waited since then or longer while no replica was up. */
  takeParkedSince(ms: number): Job[] {
    const late = this.#parked.filter(({ sinceMs }) => sinceMs <= ms);
    if (late.length > 0) this.#parked = this.#parked.filter((job) => !late.includes(job));
    return late;
  }
}
