// The health of replicas: failures, successes and probes move their circuit breakers, and the operator hears of it.

import type { Timers } from '../../../base/clock.ts';
import { type Fault, fault } from '../../../base/fault.ts';
import type { Random } from '../../../base/random.ts';
import { failureOf } from '../../../remote/circuit-breaker.ts';
import type { Replica } from './replica.ts';

/** Never carries a key. */
export type ReplicaEvent =
  | {
      readonly type: 'replica-down' | 'replica-refused' | 'replica-refuses' | 'replica-limit';
      readonly url: string;
      readonly reason: string;
    }
  | { readonly type: 'replica-up' | 'replica-joined' | 'replica-leaving' | 'replica-left'; readonly url: string }
  /** The replicas known last are used until the list is readable again. */
  | { readonly type: 'replicas-unlisted'; readonly list: string; readonly reason: string }
  | { readonly type: 'replicas-listed'; readonly list: string };

export type Observe = ((event: ReplicaEvent) => void) | undefined;

export class ReplicaHealth {
  readonly #timers: Timers;
  readonly #chance: Random;
  readonly #observe: Observe;

  constructor(timers: Timers, chance: Random, observe: Observe) {
    this.#timers = timers;
    this.#chance = chance;
    this.#observe = observe;
  }

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

  probed(replica: Replica, reason: Fault | undefined): boolean {
    if (reason === undefined) failSilent(replica);
    else this.#tellRefused(replica, reason);
    replica.breaker.probed(reason === undefined, reason?.message, this.#timers.nowMs(), this.#chance.uniform());
    return !isOpen(replica);
  }

  /** Waiting does not mend it: told once, not at every probe. */
  #tellRefused({ breaker, connection }: Replica, { retryable, message: reason }: Fault): void {
    if (retryable || breaker.reason === reason) return;
    this.#observe?.({ type: 'replica-refused', url: connection.url, reason });
  }
}

function isOpen({ breaker }: Replica): boolean {
  return breaker.state === 'open';
}

/** Streams silent since the outage are lost, and must not block the trial. */
function failSilent({ attempts, breaker, connection }: Replica): void {
  const lost = [...attempts].filter((each) => each.lastMs <= breaker.sinceMs);
  for (const attempt of lost) attempt.fail(fault('unavailable', `${connection.url} was out meanwhile`));
}
