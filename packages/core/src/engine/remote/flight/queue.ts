// Work that waits for a place on one replica: primary before speculative, higher priority first, then first come, first
// served. A job is one HTTP request to be: one sequence, or siblings that share it.

import { compareUrgency, type GenerateRequest, type Urgency } from '../../engine.ts';
import { UrgencyQueue } from '../../urgency-queue.ts';

export interface Child {
  readonly request: GenerateRequest;
  urgency: Urgency;
  /** Answered once: by its step, its fault or its cancellation. */
  answered: boolean;
  /** Cancelled while siblings share its request: it is answered, and charged, when its sequence ends. */
  dropped: boolean;
  /** Its tokens were streamed by an attempt that then failed; they are not streamed twice. */
  streamed: boolean;
  toldTokens: number;
  rejected: number;
  /** Undefined while it waits in no queue: on the wire, parked, backing off or rendering. */
  waits: { readonly queue: JobQueue; readonly job: Job } | undefined;
}

export function childOf(request: GenerateRequest): Child {
  const { lane, priority } = request;
  return {
    request,
    urgency: { lane, priority },
    answered: false,
    dropped: false,
    streamed: false,
    toldTokens: 0,
    rejected: 0,
    waits: undefined,
  };
}

export interface Job {
  readonly children: readonly Child[];
  readonly search: string;
  /** Order of arrival; kept when it is tried again, so that it does not lose its place. */
  readonly order: number;
  readonly sinceMs: number;
  readonly attempts: number;
}

export function liveChildren(job: Job): readonly Child[] {
  return job.children.every(isLive) ? job.children : job.children.filter(isLive);
}

/** A search waits for its step. */
export function isLive({ answered, dropped }: Child): boolean {
  return !answered && !dropped;
}

/** Siblings go together: the most urgent of them says when. */
export function urgencyOf(job: Job): Urgency {
  return liveChildren(job)
    .map(({ urgency }) => urgency)
    .reduce((first, next) => (compareUrgency(next, first) < 0 ? next : first));
}

export class JobQueue {
  readonly #jobs = new UrgencyQueue<Job, Job>();
  #sequences = 0;

  /** Sequences that wait, cancelled ones not counted. */
  get sequences(): number {
    return this.#sequences;
  }

  push(job: Job): void {
    const children = liveChildren(job);
    for (const child of children) child.waits = { queue: this, job };
    this.#sequences += children.length;
    if (children.length > 0) this.update(job);
  }

  update(job: Job): void {
    this.#jobs.set(job, job, urgencyOf(job), job.order);
  }

  /** A child of it was cancelled; a job without live children waits no more. */
  forget(job: Job): void {
    this.#sequences -= 1;
    if (!job.children.some(isLive)) this.#jobs.delete(job);
  }

  peek(): Job | undefined {
    return this.#jobs.peek();
  }

  pop(): Job | undefined {
    const job = this.#jobs.pop();
    const children = job === undefined ? [] : liveChildren(job);
    for (const child of children) child.waits = undefined;
    this.#sequences -= children.length;
    return job;
  }
}
