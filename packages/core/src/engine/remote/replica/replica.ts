// A server of an engine: its connection, facts, health, limit and work. Holds state; the engine decides.

import { type Fault, FaultError, fault } from '../../../base/fault.ts';
import { hash } from '../../../base/random.ts';
import { CircuitBreaker } from '../../../remote/circuit-breaker.ts';
import { Connection, type ConnectionOptions } from '../../../remote/connection.ts';
import { faultOf } from '../../../remote/failure.ts';
import type { SessionRoute } from '../../engine.ts';
import type { Dialect, ServerFacts } from '../dialect/dialect.ts';
import { dialects } from '../dialect/dialects.ts';
import { type ProbeOptions, probe } from '../dialect/probe.ts';
import { templateThinking } from '../dialect/template-thinking.ts';
import type { Attempt } from '../flight/attempt.ts';
import { JobQueue, liveChildren, urgencyOf } from '../flight/queue.ts';
import type { Refusable } from '../flight/refusable.ts';
import { InFlightLimit } from './in-flight-limit.ts';
import type { Likeness } from './likeness.ts';
import type { ReplicaLoad } from './route.ts';

export class Replica {
  readonly connection: Connection;
  readonly queue = new JobQueue();
  readonly attempts = new Set<Attempt>();
  readonly homes = new Set<string>();
  breaker: CircuitBreaker;
  limit: InFlightLimit;
  readonly refused = new Set<Refusable>();
  /** Places held, prompts being rendered included. */
  inFlight = 0;
  leavingMs: number | undefined;
  likeness: Likeness | undefined;
  #facts: ServerFacts | undefined;
  #sharers = 1;
  readonly #ranks = new Ranks();
  readonly #probe: ProbeOptions;
  readonly #room: number | undefined;

  constructor(connection: ConnectionOptions, probeOptions: ProbeOptions, room: number | undefined, nowMs: number) {
    this.connection = new Connection(connection);
    this.#probe = probeOptions;
    this.#room = room;
    this.limit = new InFlightLimit(room);
    this.breaker = new CircuitBreaker(false, nowMs, 'not probed yet');
  }

  get facts(): ServerFacts {
    if (this.#facts === undefined)
      throw new FaultError(fault('unavailable', `${this.connection.url} was never reached`));
    return this.#facts;
  }

  get dialect(): Dialect {
    return dialects[this.facts.dialect];
  }

  get reached(): boolean {
    return this.#facts !== undefined;
  }

  get isUsable(): boolean {
    return this.breaker.state !== 'open' && this.leavingMs === undefined;
  }

  /** A replica that comes back must serve the same model and be like the others. */
  async inspect(): Promise<Fault | undefined> {
    try {
      const found = await probe(this.connection, { ...this.#probe, model: this.#facts?.model ?? this.#probe.model });
      const thinking = this.#facts?.thinking ?? (await templateThinking(this.connection, found));
      const facts: ServerFacts = { ...found, thinking };
      const other = await this.likeness?.difference({
        connection: this.connection,
        dialect: dialects[facts.dialect],
        facts,
      });
      if (other !== undefined) return other;
      if (this.#facts?.sequenceLimit !== facts.sequenceLimit || this.#facts === undefined) {
        this.limit = new InFlightLimit(this.#room ?? facts.sequenceLimit);
        this.limit.divide(this.#sharers);
      }
      this.#facts = facts;
      this.refused.clear();
      return undefined;
    } catch (error) {
      return faultOf(error);
    }
  }

  divide(sharers: number): void {
    this.#sharers = sharers;
    this.limit.divide(sharers);
  }

  rankHeaders(search: string, session?: SessionRoute): Record<string, string> {
    const { ranks = 1 } = this.facts;
    return ranks === 1 ? {} : { 'x-data-parallel-rank': String(this.#ranks.of(search, ranks, this.homes, session)) };
  }

  get room(): number {
    return this.breaker.state === 'half-open' ? 1 : this.limit.room;
  }

  load(): ReplicaLoad {
    return {
      usable: this.isUsable,
      inFlight: this.inFlight,
      waiting: this.queue.sequences,
      room: this.room,
      homes: this.homes.size,
    };
  }

  mayStart(): boolean {
    const next = this.queue.peek();
    if (next === undefined || !this.isUsable) return false;
    if (this.breaker.state === 'half-open') return this.inFlight === 0;
    const sequences = liveChildren(next).length;
    return this.limit.admits(urgencyOf(next).lane, sequences, this.inFlight);
  }
}

/** Keeps a search with one of the engines behind an address (vLLM's --data-parallel-size): each has a prefix cache of its own. */
export class Ranks {
  readonly #places = new Map<string, number>();

  /** The rank of its session, unless that has far more than its share. */
  of(search: string, ranks: number, homes: ReadonlySet<string>, session?: SessionRoute): number {
    const known = this.#places.get(search);
    if (known !== undefined && known < ranks) return known;
    for (const each of this.#places.keys()) if (!homes.has(each)) this.#places.delete(each);
    const held = new Array<number>(ranks).fill(0);
    for (const rank of this.#places.values()) if (rank < ranks) held[rank]! += 1;
    const least = Math.min(...held);
    const wanted = session === undefined ? -1 : hash(session.route) % ranks;
    const rank = (held[wanted] ?? Number.POSITIVE_INFINITY) <= 2 * least + 2 ? wanted : held.indexOf(least);
    this.#places.set(search, rank);
    return rank;
  }
}
