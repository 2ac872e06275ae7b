// Jobs that wait for a place on one replica. A job is one HTTP request: one sequence, or siblings that share it.

import { compareUrgency, type GenerateRequest, type Urgency } from '../../engine.ts';
import { UrgencyQueue } from '../../urgency-queue.ts';

export interface Child {
  readonly request: GenerateRequest;
  urgency: Urgency;
  answered: boolean;
  /** Cancelled while siblings share its request: answered and charged when its sequence ends. */
  dropped: boolean;
  /** An attempt that failed streamed its tokens; they are not streamed twice. */
  streamed: boolean;
  toldTokens: number;
  rejected: number;
  /** Undefined on the wire, parked, backing off or rendering. */
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
  readonly order: number;
  readonly sinceMs: number;
  readonly attempts: number;
}

export function liveChildren(job: Job): readonly Child[] {
  return job.children.every(isLive) ? job.children : job.children.filter(isLive);
}

export function isLive({ answered, dropped }: Child): boolean {
  return !answered && !dropped;
}

export function urgencyOf(job: Job): Urgency {
  return liveChildren(job)
    .map(({ urgency }) => urgency)
    .reduce((first, next) => (compareUrgency(next, first) < 0 ? next : first));
}

export class JobQueue {
  readonly #jobs = new UrgencyQueue<Job, Job>();
  sequences = 0;

  push(job: Job): void {
    const children = liveChildren(job);
    for (const child of children) child.waits = { queue: this, job };
    this.sequences += children.length;
    if (children.length > 0) this.update(job);
  }

  update(job: Job): void {
    this.#jobs.set(job, job, urgencyOf(job), job.order);
  }

  forget(job: Job): void {
    this.sequences -= 1;
    if (!job.children.some(isLive)) this.#jobs.delete(job);
  }

  peek(): Job | undefined {
    return this.#jobs.peek();
  }

  pop(): Job | undefined {
    const job = this.#jobs.pop();
    const children = job === undefined ? [] : liveChildren(job);
    for (const child of children) child.waits = undefined;
    this.sequences -= children.length;
    return job;
  }
}
