// Decides whether a search is accepted, by the bounds of the queue and of each key, and by whether its deadline can be kept. It only
// counts; the runtime orders.

import type { Clock } from '@coppice/core/base';
import type { Forecast, Session } from '@coppice/core/runtime';
import { type LineKey, tooLate } from '@coppice/core/scheduler';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import { type ServedModels, servedBy } from '../models/served-model.ts';
import { newId } from './search-facts.ts';

interface Applicant {
  readonly id: string;
  readonly owner: string;
  readonly ownerQueue: number;
  readonly leftMs?: number;
}

/** Used while nothing has been measured. */
const unmeasuredSeconds = 10;
const mostSeconds = 60;

export class Admission {
  readonly #queue: number;
  readonly #elsewhere: (owner?: string) => number;
  /** Owners by search. */
  readonly #waiting = new Map<string, string>();
  readonly #running = new Set<string>();

  /** `queue`: searches that may wait, over all models; `elsewhere`: those of an owner, or all, that wait between nodes. */
  constructor(queue: number, elsewhere: (owner?: string) => number = () => 0) {
    this.#queue = queue;
    this.#elsewhere = elsewhere;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Counts a search in, or refuses it with 429 and a retry time. Searches that start at once are never refused. */
  apply(applicant: Applicant, forecast: Forecast): void {
    if (!forecast.fits) this.#check(applicant, forecast);
    this.enter(applicant.id, applicant.owner, forecast.fits);
  }

  /** Never refuses: accepted, resumed and handed-over searches must run. */
  enter(id: string, owner: string, fits: boolean): void {
    if (fits) this.#running.add(id);
    else this.#waiting.set(id, owner);
  }

  admitted(id: string): void {
    if (this.#waiting.delete(id)) this.#running.add(id);
  }

  leave(id: string): void {
    this.#waiting.delete(id);
    this.#running.delete(id);
  }

  #check({ owner, ownerQueue, leftMs }: Applicant, forecast: Forecast): void {
    const { waitMs, pace } = forecast;
    const again = { retryAfterSeconds: retryAfterSeconds(waitMs) };
    const here = [...this.#waiting.values()].filter((each) => each === owner).length;
    const owned = here + this.#elsewhere(owner);
    const waiting = this.waiting + this.#elsewhere();
    if (waiting >= this.#queue)
      throw new ApiError('queue_full', `the queue is full: ${waiting} searches wait (admission.queue)`, again);
    if (owned >= ownerQueue)
      throw new ApiError('key_queue_full', `${owned} searches of this key wait, its limit (keys.queue)`, again);
    if (leftMs === undefined || waitMs === undefined || pace === undefined) return;
    const late = tooLate(leftMs, waitMs, pace);
    if (late === undefined) return;
    const message = `a wait of ${late.expectedWaitMs} ms and a service of ${late.serviceMs} ms are to be expected, and the deadline is in ${late.leftMs} ms (coppice.deadline_ms)`;
    const excessMs = waitMs + pace.medianMs - leftMs;
    throw new ApiError('deadline_unreachable', message, { retryAfterSeconds: retryAfterSeconds(excessMs) });
  }
}

export function retryAfterSeconds(waitMs: number | undefined): number {
  if (waitMs === undefined) return unmeasuredSeconds;
  return Math.min(mostSeconds, Math.max(1, Math.ceil(waitMs / 1000)));
}

/**
 * Queues pass-through requests, which take an engine's time like searches: each waits for its turn in the runtime of
 * its model, holds the lease of one strand, and gives it back.
 */
interface PassThroughOptions {
  readonly admission: Admission;
  readonly models: ServedModels;
  readonly clock: Clock;
  readonly keyOf: (name: string) => LineKey | undefined;
}

export class PassThroughQueue {
  readonly #options: PassThroughOptions;

  constructor(options: PassThroughOptions) {
    this.#options = options;
  }

  /** Resolves when the request may begin or its client is gone; throws if the queue is full. Call the result once, to leave. */
  async enter(model: string, caller: Caller, gone: AbortSignal, session?: Session): Promise<() => void> {
    const { admission, models, clock, keyOf } = this.#options;
    const { queue } = servedBy(models, model).runtime;
    const arrivalMs = clock.nowMs();
    const id = newId('srch_', arrivalMs);
    const key = keyOf(caller.name);
    const facts = { arrivalMs, priority: Math.min(0, caller.maxPriority), seats: 1, session, ...(key && { key }) };
    admission.apply({ id, owner: caller.name, ownerQueue: caller.queue }, queue.forecast(facts));
    const turn = queue.take(id, facts);
    let admittedMs: number | undefined;
    await new Promise<void>((resolve) => {
      gone.addEventListener('abort', () => resolve(), { once: true });
      const onAdmitted = () => {
        admission.admitted(id);
        admittedMs = clock.nowMs();
        resolve();
      };
      queue.enter({ id, turn, arrivalMs, onAdmitted });
    });
    return () => {
      queue.dismiss(id, admittedMs && clock.nowMs() - admittedMs);
      admission.leave(id);
    };
  }
}
