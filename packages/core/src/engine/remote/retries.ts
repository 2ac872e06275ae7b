// Work that a replica gave back without an answer: it waits again for this replica or another, or its searches are told.

import { type Fault, fault } from '../../base/fault.ts';
import type { Random } from '../../base/random.ts';
import type { Timers } from '../../base/timers.ts';
import { attemptsAfter, mayRetry, retryDelayMs } from '../../remote/retry.ts';
import type { Awaited } from './flight/awaited.ts';
import type { OnWire } from './flight/on-wire.ts';
import { type Child, type Job, liveChildren } from './flight/queue.ts';
import { type Refusable, refusalText } from './flight/refusable.ts';
import type { RemoteEngineOptions, remoteDefaults } from './options.ts';
import type { Fleet } from './replica/fleet.ts';
import type { ReplicaHealth } from './replica/health.ts';
import type { Replica } from './replica/replica.ts';
import type { Watch } from './replica/watch.ts';
import type { WaitingWork } from './waiting-work.ts';

const rejections = 3;

export interface RetryParts {
  readonly options: RemoteEngineOptions & typeof remoteDefaults;
  readonly timers: Timers;
  readonly chance: Random;
  readonly replicas: readonly Replica[];
  readonly awaited: Awaited;
  readonly waiting: WaitingWork;
  readonly health: ReplicaHealth;
  readonly fleet: Fleet;
  readonly watch: Watch;
  readonly onWire: OnWire;
}

interface RetryListener {
  placed(): void;
  isClosed(): boolean;
}

export class Retries {
  readonly #parts: RetryParts;
  readonly #listener: RetryListener;

  constructor(parts: RetryParts, listener: RetryListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  failed(replica: Replica, job: Job, reason: Fault): void {
    const { health, options, timers, awaited } = this.#parts;
    if (replica.leavingMs === undefined && health.failed(replica, reason)) this.#takeOut(replica);
    const children = liveChildren(job);
    const attempts = attemptsAfter(job.attempts, reason);
    if (!mayRetry(reason, { ...job, attempts }, options, timers.nowMs())) {
      const message = attempts > 1 ? `${reason.message} (tried ${attempts} times)` : reason.message;
      for (const child of children) awaited.fault(child, { ...reason, message });
    } else if (children.length > 0) {
      for (const child of children) child.streamed = true;
      this.#again(replica, { ...job, children, attempts });
    }
    this.#listener.placed();
  }

  #takeOut(replica: Replica): void {
    const { fleet, waiting, watch } = this.#parts;
    fleet.recount();
    waiting.leave(replica);
    watch.probeLater(replica);
  }

  without(replica: Replica, blamed: Refusable, job: Job): void {
    const { refused, connection } = replica;
    if (!refused.has(blamed)) {
      const reason = refusalText(blamed);
      this.#parts.options.observe?.({ type: 'replica-refuses', url: connection.url, reason });
    }
    refused.add(blamed);
    this.#place(job);
  }

  blank(replica: Replica, job: Job, child: Child): void {
    child.rejected += 1;
    child.streamed = true;
    if (child.rejected < rejections) this.#place({ ...job, children: [child] });
    else {
      const what = `${replica.connection.url} gave ${rejections} blank steps; change delimiters`;
      this.#parts.awaited.fault(child, fault('bad-step', what));
    }
  }

  #place(job: Job): void {
    this.#parts.onWire.forget(job.children);
    this.#parts.waiting.place(job);
    this.#listener.placed();
  }

  #again(replica: Replica, job: Job): void {
    const { onWire, replicas, waiting, awaited, timers, chance } = this.#parts;
    onWire.forget(job.children);
    const elsewhere = replicas.some((each) => each !== replica && each.isUsable);
    if (elsewhere || !replica.isUsable) {
      waiting.place(job, replica);
      return;
    }
    awaited.tellCustody('held', job);
    timers.after(retryDelayMs(job.attempts, chance.uniform()), () => {
      if (this.#listener.isClosed() || liveChildren(job).length === 0) return;
      waiting.place(job);
      this.#listener.placed();
    });
  }
}
