// Work before it is sent: in the queue of its search's replica, or parked while none is up.

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
  readonly #places = new Set<Replica>();

  constructor(affinity: Affinity, awaited: Awaited, watch: Watch) {
    this.#affinity = affinity;
    this.#awaited = awaited;
    this.#watch = watch;
  }

  place(job: Job, avoid?: Replica): void {
    this.#awaited.tellCustody('held', job);
    const replica = this.#affinity.choose(job.search, avoid, job.children[0]?.request.session);
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

  leave(replica: Replica): void {
    this.#affinity.evict(replica);
    for (let job = replica.queue.pop(); job !== undefined; job = replica.queue.pop()) this.place(job, replica);
  }

  spread(replicas: readonly Replica[]): void {
    this.unpark();
    const waiting = replicas.flatMap(({ queue }) => {
      const jobs: Job[] = [];
      for (let job = queue.pop(); job !== undefined; job = queue.pop()) jobs.push(job);
      return jobs;
    });
    for (const job of waiting.sort((a, b) => a.order - b.order)) this.place(job);
  }

  unpark(): void {
    const parked = this.#parked;
    this.#parked = [];
    for (const job of parked) if (liveChildren(job).length > 0) this.place(job);
  }

  get parkedSequences(): number {
    return this.#parked.reduce((sum, job) => sum + liveChildren(job).length, 0);
  }

  takeParkedSince(ms: number): Job[] {
    const late = this.#parked.filter(({ sinceMs }) => sinceMs <= ms);
    if (late.length > 0) this.#parked = this.#parked.filter((job) => !late.includes(job));
    return late;
  }
}
