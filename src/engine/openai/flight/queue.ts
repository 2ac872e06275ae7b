// Work that waits for a place on one replica: primary before speculative, higher priority first, then first come, first
// served. A job is one HTTP request to be: one sequence, or siblings that share it.

import { Heap } from '../../../base/heap.ts';
import type { GenerateRequest, Lane } from '../../engine.ts';

export interface Child {
  readonly request: GenerateRequest;
  /** Answered once: by its step, its fault or its cancellation. */
  answered: boolean;
  /** Cancelled while siblings share its request: it is answered, and charged, when its sequence ends. */
  dropped: boolean;
  /** Its tokens were streamed by an attempt that then failed; they are not streamed twice. */
  streamed: boolean;
  /** Blank steps that were thrown away. */
  rejected: number;
  /** Undefined while it waits in no queue: on the wire, parked, backing off or rendering. */
  waitsIn: JobQueue | undefined;
}

export function childOf(request: GenerateRequest): Child {
  return {
    request,
    answered: false,
    dropped: false,
    streamed: false,
    rejected: 0,
    waitsIn: undefined,
  };
}

export interface Job {
  readonly children: readonly Child[];
  readonly search: string;
  readonly lane: Lane;
  readonly priority: number;
  /** Order of arrival; kept when it is tried again, so that it does not lose its place. */
  readonly order: number;
  readonly sinceMs: number;
  readonly attempts: number;
}

export function liveChildren(job: Job): readonly Child[] {
  return job.children.every(isLive) ? job.children : job.children.filter(isLive);
}

/** Somebody waits for its step. */
export function isLive({ answered, dropped }: Child): boolean {
  return !answered && !dropped;
}

export class JobQueue {
  readonly #heap = new Heap<Job>(before);
  #sequences = 0;

  /** Sequences that wait, cancelled ones not counted. */
  get sequences(): number {
    return this.#sequences;
  }

  push(job: Job): void {
    const children = liveChildren(job);
    for (const child of children) child.waitsIn = this;
    this.#sequences += children.length;
    this.#heap.push(job);
  }

  /** A waiting sequence was cancelled; its job drops out when it comes to the front. */
  forget(): void {
    this.#sequences -= 1;
  }

  peek(): Job | undefined {
    for (let first = this.#heap.peek(); first !== undefined; first = this.#heap.peek()) {
      if (liveChildren(first).length > 0) return first;
      this.#heap.pop();
    }
    return undefined;
  }

  pop(): Job | undefined {
    const job = this.peek();
    if (job === undefined) return undefined;
    this.#heap.pop();
    const children = liveChildren(job);
    for (const child of children) child.waitsIn = undefined;
    this.#sequences -= children.length;
    return job;
  }
}

function before(a: Job, b: Job): boolean {
  if (a.lane !== b.lane) return a.lane === 'primary';
  return a.priority !== b.priority ? a.priority > b.priority : a.order < b.order;
}
