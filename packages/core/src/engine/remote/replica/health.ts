// Whether replicas may get work: what failures, successes and probes make of their circuit breakers, and of what they may have in
// flight. Tells the operator who goes out and who is back; what becomes of the work is the engine's.

import { type Fault, fault } from '../../../base/fault.ts';
import type { Random } from '../../../base/random.ts';
import type { Timers } from '../../../base/timers.ts';
import { failureOf } from '../../../remote/circuit-breaker.ts';
import type { Replica } from './replica.ts';

/** What an operator wants to know of; never carries a key. */
export type ReplicaEvent =
  | { readonly type: 'replica-down'; readonly url: string; readonly reason: string }
  | { readonly type: 'replica-up'; readonly url: string }
  /** It stands on the list and gets work from now on. */
  | { readonly type: 'replica-joined'; readonly url: string }
  /** It answers and gets no work, being another model or unable to do what the others do. */
  | { readonly type: 'replica-refused'; readonly url: string; readonly reason: string }
  /** It stands on the list no more: it ends what it has; and then it is gone. */
  | { readonly type: 'replica-leaving'; readonly url: string }
  | { readonly type: 'replica-left'; readonly url: string }
  /** The list is empty or cannot be read, and the replicas that were known last are used; or it is read again. */
  | { readonly type: 'replicas-unlisted'; readonly list: string; readonly reason: string }
  | { readonly type: 'replicas-listed'; readonly list: string }
  /** It does without something from now on, which the reason names. */
  | { readonly type: 'replica-refuses'; readonly url: string; readonly reason: string }
  /** What it runs at a time was known, and has become much less. */
  | { readonly type: 'replica-limit'; readonly url: string; readonly reason: string };

export class ReplicaHealth {
  readonly #timers: Timers;
  readonly #chance: Random;
  readonly #observe: ((event: ReplicaEvent) => void) | undefined;

  constructor(timers: Timers, chance: Random, observe: ((event: ReplicaEvent) => void) | undefined) {
    this.#timers = timers;
    this.#chance = chance;
    this.#observe = observe;
  }

  /** True where this puts the replica out. */
  failed(replica: Replica, reason: Fault): boolean {
    const nowMs = this.#timers.nowMs();
    if (reason.code === 'overloaded') replica.limit.congested(nowMs);
    const failure = failureOf(reason);
    if (failure === undefined || isOpen(replica)) return false;
    replica.breaker.failed(failure, reason.message, nowMs, this.#chance.uniform());
    const isOut = isOpen(replica);
    if (isOut) this.#observe?.({ type: 'replica-down', url: replica.connection.url, reason: reason.message });
    return isOut;
  }

  succeeded({ breaker, connection }: Replica): void {
    const onTrial = breaker.state === 'half-open';
    breaker.succeeded(this.#timers.nowMs());
    if (onTrial) this.#observe?.({ type: 'replica-up', url: connection.url });
  }

  /** A probe has come back, with the reason why the replica is still out. True where it is on trial. */
  probed(replica: Replica, reason: Fault | undefined): boolean {
    if (reason === undefined) failSilent(replica);
    else this.#tellRefused(replica, reason);
    replica.breaker.probed(reason === undefined, reason?.message, this.#timers.nowMs(), this.#chance.uniform());
    return !isOpen(replica);
  }

  /** Waiting does not mend it, such as other weights under the same name: told once, and not at every probe. */
  #tellRefused({ breaker, connection }: Replica, { retryable, message: reason }: Fault): void {
    if (retryable || breaker.reason === reason) return;
    this.#observe?.({ type: 'replica-refused', url: connection.url, reason });
  }
}

function isOpen({ breaker }: Replica): boolean {
  return breaker.state === 'open';
}

/** Streams that have been silent since the replica went out are lost, and must not stand in the way of its trial. */
function failSilent({ attempts, breaker, connection }: Replica): void {
  const lost = [...attempts].filter((each) => each.lastMs <= breaker.sinceMs);
  for (const attempt of lost) attempt.stall(fault('unavailable', `${connection.url} was out meanwhile`));
}
