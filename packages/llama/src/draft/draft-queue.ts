// The draft model's queue: waiting jobs, at most one per sequence. Used in a thread of its own, in the target's thread, and in tests.

import type { Draft, DraftJob, DraftModel } from './draft-model.ts';
import type { ToDrafter } from './drafts.ts';

/** The draft model, or a stand-in for tests. */
export type Drafter = Pick<DraftModel, 'draft' | 'forget' | 'release' | 'close'>;

export class DraftQueue {
  readonly #model: Drafter;
  readonly #jobs = new Map<number, DraftJob>();
  readonly #known = new Set<number>();
  #closed = false;

  constructor(model: Drafter) {
    this.#model = model;
  }

  get waiting(): number {
    return this.#jobs.size;
  }

  get sequences(): number {
    return this.#known.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  take(message: ToDrafter): void {
    if (this.#closed) return;
    switch (message.type) {
      case 'draft':
        this.#jobs.delete(message.job.sequence); // a newer job replaces an older one, and goes to the end of the queue
        this.#jobs.set(message.job.sequence, message.job);
        this.#known.add(message.job.sequence);
        return;
      case 'forget':
        this.#jobs.delete(message.sequence);
        this.#known.delete(message.sequence);
        this.#model.forget(message.sequence);
        return;
      case 'release':
        return this.#model.release(message.search);
      case 'close':
        this.#closed = true;
        this.#model.close();
    }
  }

  /** Drafts for the jobs that have waited longest, all in the same decodes. */
  draft(most = Number.POSITIVE_INFINITY): Draft[] {
    if (this.#closed) return [];
    const jobs = [...this.#jobs.values()].slice(0, most);
    for (const { sequence } of jobs) this.#jobs.delete(sequence);
    return jobs.length === 0 ? [] : this.#model.draft(jobs);
  }
}
