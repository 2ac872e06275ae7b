// The remote engine: many searches on a few servers. A search stays with the replica that holds its prefix; what a failing replica drops is
// done again elsewhere. Every request is answered exactly once. dispatch.ts sends and sends again.

import { liveTimers, type Timers } from '../../base/clock.ts';
import { type Fault, fault } from '../../base/fault.ts';
import { Random } from '../../base/random.ts';
import type {
  Engine,
  EngineCapabilities,
  EngineLoad,
  EngineMessage,
  GenerateRequest,
  RequestId,
  Urgency,
} from '../engine.ts';
import { Dispatch } from './dispatch.ts';
import { Awaited } from './flight/awaited.ts';
import { childOf, liveChildren } from './flight/queue.ts';
import { groupSiblings } from './flight/siblings.ts';
import type { FollowedList } from './list/followed-list.ts';
import { type RemoteEngineOptions, remoteDefaults } from './options.ts';
import { Affinity } from './replica/affinity.ts';
import { Fleet, followedBy, type OpenedReplicas } from './replica/fleet.ts';
import { GaugeWatch } from './replica/gauge-watch.ts';
import { ReplicaHealth } from './replica/health.ts';
import type { Replica } from './replica/replica.ts';
import { loadOf, outageOf, siblingLimit } from './replica/replicas.ts';
import { Watch } from './replica/watch.ts';
import { WaitingWork } from './waiting-work.ts';

const muchLess = 0.75;

export class RemoteEngine implements Engine {
  readonly capabilities: EngineCapabilities;
  readonly #options: RemoteEngineOptions & typeof remoteDefaults;
  readonly #fleet: Fleet;
  readonly #replicas: readonly Replica[];
  readonly #list: FollowedList | undefined;
  readonly #timers: Timers;
  readonly #awaited = new Awaited();
  readonly #affinity: Affinity;
  readonly #waiting: WaitingWork;
  readonly #health: ReplicaHealth;
  readonly #watch: Watch;
  readonly #gauges: GaugeWatch;
  readonly #dispatch: Dispatch;
  #order = 0;
  #onReplicas: (() => void) | undefined;

  constructor(options: RemoteEngineOptions, opened: OpenedReplicas, capabilities: EngineCapabilities) {
    this.#options = { ...remoteDefaults, ...options };
    this.capabilities = capabilities;
    const timers = options.timers ?? liveTimers;
    this.#timers = timers;
    this.#fleet = new Fleet(opened, timers, options.observe);
    const replicas = this.#fleet.all;
    this.#replicas = replicas;
    this.#watch = new Watch(timers, this.#options, replicas);
    this.#gauges = new GaugeWatch(timers);
    this.#affinity = new Affinity(replicas);
    this.#waiting = new WaitingWork(this.#affinity, this.#awaited, this.#watch);
    const chance = new Random('remote-engine', this.#options.seed);
    this.#health = new ReplicaHealth(timers, chance, options.observe);
    this.#dispatch = new Dispatch({
      options: this.#options,
      timers,
      chance,
      replicas,
      fleet: this.#fleet,
      awaited: this.#awaited,
      waiting: this.#waiting,
      affinity: this.#affinity,
      health: this.#health,
      watch: this.#watch,
      gauges: this.#gauges,
    });
    this.#connectParts();
    for (const replica of replicas) if (replica.breaker.state === 'open') this.#watch.probeLater(replica);
    this.#list = options.listed && followedBy(this.#fleet, options.listed, timers, options.observe);
  }

  /** Called once all parts are made. A change of replicas moves the work that waits for them. */
  #connectParts(): void {
    this.#fleet.connect({
      joined: () => {
        this.#waiting.spread(this.#replicas);
        this.#dispatch.pumpAll();
      },
      kept: (replica, reason) => this.#probed(replica, reason),
      leaving: (replica) => {
        this.#waiting.leave(replica);
        this.#dispatch.pumpAll();
      },
      counted: () => this.#onReplicas?.(),
    });
    this.#watch.connect({
      probed: (replica, reason) => this.#probed(replica, reason),
      tick: () => this.#giveUpParked(),
    });
    this.#gauges.connect((replica, settledRoom) => {
      this.#tellLimit(replica, settledRoom);
      this.#dispatch.pump(replica);
    });
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#awaited.connect(post);
  }

  /** As its servers call it. */
  get model(): string {
    return this.#replicas.find(({ reached }) => reached)!.facts.model;
  }

  shapeTrouble(): string | undefined {
    const unable = this.#replicas.find(({ reached, dialect }) => reached && dialect.holdsShapes === undefined);
    return unable && `its server speaks as '${unable.dialect.name}' does, which holds no step to a schema`;
  }

  generate(requests: readonly GenerateRequest[]): void {
    if (this.#dispatch.isClosed) {
      const reason = fault('unavailable', 'the engine is closed', false);
      for (const { id } of requests) this.#awaited.refuse(id, reason);
      return;
    }
    for (const group of groupSiblings(requests, siblingLimit(this.#replicas))) {
      const children = group.map(childOf);
      const { search } = group[0]!;
      for (const child of children) this.#awaited.add(child);
      const sinceMs = this.#timers.nowMs();
      this.#order += 1;
      this.#waiting.place({ children, search, order: this.#order, sinceMs, attempts: 0 });
    }
    this.#dispatch.pumpAll();
  }

  divide(sharersOf: (url: string) => number): void {
    this.#fleet.divide(sharersOf);
    this.#dispatch.pumpAll();
  }

  servers(): string[] {
    return this.#replicas.filter(({ leavingMs }) => leavingMs === undefined).map(({ connection }) => connection.url);
  }

  /** For pass-through requests: servers that may get work, or all while none may. */
  usable(): string[] {
    const urls = this.#fleet.usable.map(({ connection }) => connection.url);
    return urls.length > 0 ? urls : this.servers();
  }

  watchReplicas(changed: () => void): void {
    this.#onReplicas = changed;
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) {
      const child = this.#awaited.get(id);
      if (child === undefined || child.dropped) continue;
      child.dropped = true;
      child.waits?.queue.forget(child.waits.job);
      this.#dispatch.drop(child);
    }
    this.#dispatch.pumpAll();
  }

  update(request: RequestId, urgency: Urgency): void {
    const child = this.#awaited.get(request);
    if (child === undefined || child.dropped) return;
    child.urgency = urgency;
    child.waits?.queue.update(child.waits.job);
    this.#dispatch.pumpAll();
  }

  release(search: string): void {
    this.#affinity.release(search);
    this.#dispatch.release(search);
  }

  load(): EngineLoad {
    const load = loadOf(this.#replicas, this.#waiting.parkedSequences, this.#dispatch);
    return this.#list === undefined ? load : { ...load, listHealthy: this.#list.trouble === undefined };
  }

  async close(): Promise<void> {
    this.cancel(this.#awaited.ids);
    this.#dispatch.isClosed = true;
    this.#watch.stop();
    this.#gauges.stop();
    this.#list?.stop();
    for (const replica of this.#replicas) replica.connection.close();
  }

  #tellLimit({ limit, connection }: Replica, before: number | undefined): void {
    if (before === undefined || limit.room > before * muchLess) return;
    const reason = `runs ${limit.room} sequences at a time where it ran ${before}`;
    this.#options.observe?.({ type: 'replica-limit', url: connection.url, reason });
  }

  /** Without a reason the replica is on trial, and parked work may go there. */
  #probed(replica: Replica, reason: Fault | undefined): void {
    if (!this.#replicas.includes(replica)) return;
    if (!this.#health.probed(replica, reason)) return this.#watch.probeLater(replica);
    this.#fleet.recount();
    this.#fleet.settle();
    this.#waiting.unpark();
    this.#dispatch.pumpAll();
  }

  #giveUpParked(): void {
    const { patienceMs } = this.#options;
    const late = this.#waiting.takeParkedSince(this.#timers.nowMs() - patienceMs);
    if (late.length === 0) return;
    const waited = `no server answered for ${patienceMs} ms (patienceMs): ${outageOf(this.#replicas)}`;
    const reason = fault('unavailable', waited);
    for (const job of late) for (const child of liveChildren(job)) this.#awaited.fault(child, reason);
  }
}
