// One coppice process of a simulated cluster: production journal, cluster, searches, runtime, remote engine and remote verifier on one
// simulated core. Its work takes CPU time, and events wait while the core is busy. It can be killed.

import type { Timers } from '@coppice/core/base';
import type { Config } from '@coppice/core/config';
import { openRemoteEngine } from '@coppice/core/engine';
import type { Runtime } from '@coppice/core/runtime';
import { openRemoteVerifier } from '@coppice/core/verifier';
import type { Loop } from '@coppice/gateway/models';
import { NodeTaker } from '@coppice/gateway/nodes';
import { silentLog, UsageMeter } from '@coppice/gateway/observe';
import { Searches } from '@coppice/gateway/searches';
import { PostgresCluster, serverName } from '@coppice/postgres/cluster';
import { PostgresJournal } from '@coppice/postgres/journal';
import { extractAnswer } from '@coppice/sim/engine';
import type { LogEntry } from 'coppice';
import type { Cores } from './cores.ts';
import type { Costs } from './costs.ts';
import { latencyMs } from './costs.ts';
import type { Database } from './database.ts';
import type { Network, Sender } from './network.ts';
import { type CallingNode, journalParts, membershipOf, queueOf, type RungMessage } from './node-surfaces.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface NodeParts {
  readonly time: VirtualTime;
  readonly network: Network;
  readonly database: Database;
  readonly costs: Costs;
  /** Its own, or shared where nodes are on one machine. */
  readonly cores: Cores;
  readonly config: Config;
  readonly seed: number;
  /** The others of its group, for the bell. */
  readonly nodes: readonly ClusterNode[];
}

type Ears = { hear(message: RungMessage & { readonly node: string }): void };

export class ClusterNode implements Sender, CallingNode {
  readonly name: string;
  readonly timers: Timers;
  readonly servers: readonly string[];
  readonly counts = { decisions: 0, events: 0, calls: 0, bells: 0 };
  searches!: Searches;
  usage!: UsageMeter;
  readonly #parts: NodeParts;
  #ears: Ears | undefined;
  #isDead = false;
  #isReady = false;
  #busyMs = 0;
  readonly #inbox: (() => void)[] = [];
  #isDraining = false;

  constructor(name: string, parts: NodeParts) {
    this.name = name;
    this.#parts = parts;
    const { engine } = parts.config.models[0]!;
    this.servers =
      engine.kind === 'openai' ? ((engine.urls ?? []) as string[]).map((url) => serverName(url, name)) : [];
    this.timers = { nowMs: () => parts.time.nowMs, after: (delayMs, callback) => this.#after(delayMs, callback) };
  }

  get database(): Database {
    return this.#parts.database;
  }

  get config(): Config {
    return this.#parts.config;
  }

  /** Of its core, or of all that share it. */
  get busyMs(): number {
    return this.#parts.cores.busyMs;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isDead;
  }

  async start(): Promise<void> {
    const { config } = this.#parts;
    const journal = new MeteredJournal({ urlEnv: 'DATABASE_URL' }, this.name, (ears) =>
      journalParts(this, (heard) => this.#hearBy(heard as Ears), ears),
    );
    journal.onAppended = (events) => {
      this.counts.events += events;
      this.charge(events * this.#parts.costs.event);
    };
    const cluster = new PostgresCluster({
      journal,
      queue: queueOf(this),
      membership: membershipOf(this),
      models: ['m'],
      machine: this.name,
      warn: (message) => {
        throw new Error(`${this.name}: ${message}`);
      },
      timers: this.timers,
    });
    const [engine, verifier] = await Promise.all([this.#engine(), this.#verifier()]);
    const usage = new UsageMeter(this.timers, config.keys);
    this.usage = usage;
    this.searches = new Searches({
      config,
      models: [{ config: config.models[0]!, engine, verifier, extract: extractAnswer }],
      journal,
      clock: this.timers,
      log: silentLog,
      cluster,
      timers: this.timers,
      loop: () => new NodeLoop(this.timers, () => this.#decides()),
      onEnded: (search, ended) => usage.ended(search.facts.owner, ended.result),
    });
    const report = () => ({ healthy: true, budget: { total: 0, used: 0 }, running: 0, listed: [] });
    const taker = new NodeTaker(this.searches, journal, { node: this.name, report, usage });
    journal.listen({ cancelRequested: (id) => taker.cancel(id) });
    await journal.open();
    await cluster.start(taker);
    this.#isReady = true;
  }

  #hearBy(ears: Ears): void {
    this.#ears = ears;
  }

  kill(): void {
    this.#isDead = true;
    this.#inbox.length = 0;
    this.#parts.network.cut(this);
  }

  // ---- its core ------------------------------------------------------------------------------------------------------

  /** So much CPU was used just now: what it sends leaves after it, what comes waits for it. */
  charge(costMs: number): void {
    const { time, cores } = this.#parts;
    if (costMs > 0) this.#busyMs = cores.work(Math.max(time.nowMs, this.#busyMs), costMs);
  }

  leavesMs(): number {
    return Math.max(this.#parts.time.nowMs, this.#busyMs);
  }

  sends(): number {
    this.counts.calls += 1;
    this.charge(this.#parts.costs.call);
    return this.leavesMs();
  }

  /** Something happens in this process, in its turn. */
  run(callback: () => void): void {
    if (this.#isDead) return;
    const { time } = this.#parts;
    if (!this.#isDraining && this.#busyMs <= time.nowMs) return callback();
    this.#inbox.push(callback);
    if (this.#isDraining) return;
    this.#isDraining = true;
    time.at(this.#busyMs, () => this.#drain());
  }

  #drain(): void {
    const { time } = this.#parts;
    const next = this.#inbox.shift();
    if (this.#isDead) return;
    next?.();
    if (this.#inbox.length === 0) this.#isDraining = false;
    else time.at(Math.max(time.nowMs, this.#busyMs), () => this.#drain());
  }

  #after(delayMs: number, callback: () => void): () => void {
    const { time } = this.#parts;
    let isOff = false;
    const due = time.after(delayMs, () => (this.#isDead ? false : void this.run(() => isOff || callback())));
    return () => {
      isOff = true;
      time.callOff(due);
    };
  }

  #decides(): void {
    this.counts.decisions += 1;
    this.charge(this.#parts.costs.decision);
  }

  // ---- its surroundings ------------------------------------------------------------------------------------------------

  /** NOTIFY wakes every node; it is delivered to those that wait for one of its searches, and costs the others their CPU. */
  ring(message: RungMessage): void {
    const { nodes, costs, time, database } = this.#parts;
    const named = [...(message.grown ?? []).map(([id]) => id), ...(message.ended ?? []), ...(message.cancelled ?? [])];
    const homes = new Set(named.map((id) => database.rows.get(id)?.home));
    const isForAll = message.queued !== undefined || (message.cancelled ?? []).length > 0;
    for (const other of nodes) {
      if (other === this || !other.isReady) continue;
      other.counts.bells += 1;
      other.charge(costs.bell);
      if (isForAll || homes.has(other.name))
        time.after(2 * latencyMs, () => other.run(() => other.#ears?.hear({ node: this.name, ...message })));
    }
  }

  #engine() {
    const { network, seed } = this.#parts;
    const { engine } = this.#parts.config.models[0]!;
    if (engine.kind !== 'openai') throw new Error('a simulated cluster has remote servers');
    return openRemoteEngine({
      servers: ((engine.urls ?? []) as string[]).map((url) => ({ url })),
      ...(engine.inFlight === undefined ? {} : { inFlight: Number(engine.inFlight) }),
      timers: this.timers,
      transport: (url) => network.transport(this, url),
      seed,
    });
  }

  #verifier() {
    const { network, seed } = this.#parts;
    const { verifier } = this.#parts.config.models[0]!;
    if (verifier.kind !== 'prm') throw new Error('a simulated cluster has a remote reward model');
    return openRemoteVerifier({
      kind: 'http',
      servers: ((verifier.urls ?? []) as string[]).map((url) => ({ url })),
      timers: this.timers,
      transport: (url) => network.transport(this, url),
      seed,
    });
  }
}

/** Tells how many events are in every entry that it is given. */
class MeteredJournal extends PostgresJournal {
  onAppended: (events: number) => void = () => {};

  override append(epoch: number, entry: LogEntry): void {
    super.append(epoch, entry);
    this.onAppended(1 + (entry.more?.length ?? 0));
  }
}

/** Steps a runtime in its node's turn. */
class NodeLoop implements Loop {
  readonly #timers: Timers;
  readonly #onStep: () => void;
  #runtime: Runtime | undefined;
  #isWoken = false;
  #alarmMs = Number.POSITIVE_INFINITY;
  #callOff: () => void = () => {};

  constructor(timers: Timers, onStep: () => void) {
    this.#timers = timers;
    this.#onStep = onStep;
  }

  readonly wake = (): void => {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#timers.after(0, () => this.#step());
  };

  drive(runtime: Runtime): void {
    this.#runtime = runtime;
    this.wake();
  }

  stop(): void {
    this.#runtime = undefined;
  }

  #step(): void {
    this.#isWoken = false;
    if (this.#runtime === undefined) return;
    this.#onStep();
    this.#runtime.step();
    const wakeMs = this.#runtime.nextWakeMs() ?? Number.POSITIVE_INFINITY;
    if (wakeMs === this.#alarmMs) return;
    this.#callOff();
    this.#alarmMs = wakeMs;
    if (wakeMs === Number.POSITIVE_INFINITY) return;
    this.#callOff = this.#timers.after(Math.max(1, wakeMs - this.#timers.nowMs()), () => {
      this.#alarmMs = Number.POSITIVE_INFINITY;
      this.#step();
    });
  }
}
