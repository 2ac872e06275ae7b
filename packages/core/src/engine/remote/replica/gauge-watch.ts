// Reads the gauges of servers whose limit is unknown, while they have work. One without a metrics page is asked again after an outage.

import type { Timers } from '../../../base/clock.ts';
import type { ServerFacts } from '../dialect/dialect.ts';
import { readGauges } from '../dialect/gauges.ts';
import type { Replica } from './replica.ts';

export class GaugeWatch {
  readonly #timers: Timers;
  readonly #armed = new Set<Replica>();
  readonly #blind = new WeakMap<Replica, ServerFacts>();
  #stopped = false;
  #changed: ((replica: Replica, settledRoom: number | undefined) => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  connect(changed: (replica: Replica, settledRoom: number | undefined) => void): void {
    this.#changed = changed;
  }

  arm(replica: Replica): void {
    if (this.#stopped || this.#armed.has(replica) || replica.limit.known) return;
    if (this.#blind.get(replica) === replica.facts) return;
    this.#armed.add(replica);
    this.#timers.after(replica.limit.readMs, () => void this.#read(replica));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #read(replica: Replica): Promise<void> {
    if (this.#stopped) return;
    const { facts, connection, limit } = replica;
    const reply = await connection.call('GET', '/metrics').catch(() => undefined);
    this.#armed.delete(replica);
    if (this.#stopped) return;
    const before = limit.settled ? limit.room : undefined;
    const gauges = reply?.status === 200 ? readGauges(facts.dialect, reply.body) : undefined;
    if (gauges?.waiting === undefined && reply !== undefined) this.#blind.set(replica, facts);
    if (gauges !== undefined) limit.read(gauges, replica.inFlight, replica.queue.sequences, this.#timers.nowMs());
    this.#changed?.(replica, before);
    if (replica.attempts.size > 0) this.arm(replica);
  }
}
