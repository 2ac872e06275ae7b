// One node of a cluster in virtual time: the real journal, cluster, searches, watches and runtime on a simulated database, and an
// engine whose answers no other node would give. It may be frozen, killed, or cut off.

import type { VirtualTime } from '../../../lab/src/cluster-sim/virtual-time.ts';
import { makePlan } from '../../../packages/core/src/answering/plan/plan.ts';
import type { SearchPlan } from '../../../packages/core/src/answering/plan/search-plan.ts';
import type { Timers } from '../../../packages/core/src/base/clock.ts';
import { FaultError, fault } from '../../../packages/core/src/base/fault.ts';
import type { Random } from '../../../packages/core/src/base/random.ts';
import { checkConfig } from '../../../packages/core/src/config/load.ts';
import type { Engine, EngineMessage, GenerateRequest, RequestId } from '../../../packages/core/src/engine/engine.ts';
import type { Runtime } from '../../../packages/core/src/runtime/runtime.ts';
import type { Caller } from '../../../packages/gateway/src/http/keys.ts';
import type { Loop } from '../../../packages/gateway/src/models/served-model.ts';
import { NodeTaker } from '../../../packages/gateway/src/nodes/node-taker.ts';
import type { Log } from '../../../packages/gateway/src/observe/log.ts';
import { Searches } from '../../../packages/gateway/src/searches/searches.ts';
import { type ClusterOptions, PostgresCluster } from '../../../packages/postgres/src/cluster/cluster.ts';
import {
  type BellEars,
  PostgresJournal,
  type PostgresParts,
} from '../../../packages/postgres/src/journal/postgres-journal.ts';
import { calm, type Link, type SimulatedDatabase } from './simulated-database.ts';

export const caller: Caller = { name: 'ann', share: 1, maxPriority: 100, queue: 1e6, admin: true };

const config = checkConfig({
  models: [{ name: 'm', engine: { kind: 'sim' }, verifier: { kind: 'none' }, budget: 8, policy: 'positive' }],
  admission: { queue: 1000 },
});
const modelConfig = config.models[0]!;

/** What all nodes of a storm share. */
export interface NodeWorld {
  readonly time: VirtualTime;
  readonly database: SimulatedDatabase;
  readonly random: Random;
  readonly nodes: SimulatedNode[];
  /** Makes every answer of every engine another one. */
  answers: number;
  /** Told what happens, in the order in which it does. */
  readonly trace: (what: string) => void;
}

export class SimulatedNode {
  readonly name: string;
  readonly link: Link = { weather: calm, isUp: true, cuts: 0 };
  readonly timers: Timers;
  readonly journal: PostgresJournal;
  readonly searches: Searches;
  readonly cluster: PostgresCluster;
  readonly #world: NodeWorld;
  #ears: BellEars | undefined;
  #state: 'well' | 'frozen' | 'dead' = 'well';
  #deferred: (() => void)[] = [];

  constructor(world: NodeWorld, name: string, skewMs: number) {
    this.#world = world;
    this.name = name;
    this.timers = {
      nowMs: () => world.time.nowMs + skewMs,
      after: (delayMs, callback) => this.#after(delayMs, callback),
    };
    this.journal = new PostgresJournal({ urlEnv: 'DATABASE_URL' }, name, (ears) => this.#parts(ears));
    this.cluster = new PostgresCluster({
      journal: this.journal,
      queue: this.#queue(),
      membership: this.#membership(),
      models: ['m'],
      machine: 'one',
      warn: (message) => world.trace(`${name} cluster: ${message}`),
      timers: this.timers,
    });
    this.searches = new Searches({
      config,
      models: [{ config: modelConfig, engine: new VirtualEngine(this.timers, world) }],
      journal: this.journal,
      clock: this.timers,
      log: this.#log(),
      cluster: this.cluster,
      timers: this.timers,
      loop: () => new VirtualLoop(this.timers),
    });
  }

  async start(): Promise<void> {
    const report = () => ({ healthy: true, budget: { total: 0, used: 0 }, running: 0, listed: [] });
    const taker = new NodeTaker(this.searches, this.journal, { node: this.name, report });
    this.journal.listen({ cancelRequested: (id) => taker.cancel(id) });
    await this.journal.open();
    await this.cluster.start(taker);
  }

  #log(): Log {
    const say = (event: string, fields: object = {}) =>
      this.#world.trace(`${this.name} ${event} ${JSON.stringify(fields)}`);
    return { debug: say, info: say, warn: say, error: say };
  }

  get isWell(): boolean {
    return this.#state === 'well';
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  freeze(): void {
    if (this.#state === 'well') this.#state = 'frozen';
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'well';
    for (const callback of this.#deferred.splice(0)) this.#world.time.after(0, () => this.run(callback));
  }

  kill(): void {
    this.#state = 'dead';
    this.#deferred = [];
  }

  cut(downMs: number): void {
    this.link.cuts += 1;
    this.link.isUp = false;
    this.#world.time.after(downMs, () => {
      this.link.isUp = true;
      this.run(() => this.#ears?.missed());
    });
  }

  /** Something that happens in this process. */
  run(callback: () => void): void {
    if (this.#state === 'well') callback();
    else if (this.#state === 'frozen') this.#deferred.push(callback);
  }

  plan(seed: number): SearchPlan {
    const text = `question ${seed}`;
    return makePlan({
      question: { prompt: { kind: 'text', text }, title: text },
      wish: { program: 'self-consistency', rollouts: 2 },
      speaker: 'code',
      model: this.searches.models.get('m')!,
      limits: config.limits,
      maxPriority: 100,
      defaultDeadlineMs: 600_000,
      seed,
    });
  }

  #after(delayMs: number, callback: () => void): () => void {
    let isOff = false;
    this.#world.time.after(delayMs, () => this.run(() => isOff || callback()));
    return () => {
      isOff = true;
    };
  }

  #call<Result>(apply: (database: SimulatedDatabase) => Result): Promise<Result> {
    const { database } = this.#world;
    return database.call(this.link, this.timers, () => apply(database));
  }

  // ---- what it knows of the database ---------------------------------------------------------------------------------

  #parts(ears: BellEars): PostgresParts {
    this.#ears = ears;
    const { database } = this.#world;
    return {
      store: database.store(this.link, this.timers, this.name),
      timers: this.timers,
      documents: undefined as never,
      run: async (name, values) => {
        try {
          const rows = await this.#call(() => this.#read(name, values));
          return { rows: rows as unknown as Readonly<Record<string, unknown>>[], rowCount: rows.length };
        } catch (error) {
          throw new FaultError(fault('unavailable', (error as Error).message));
        }
      },
      bell: { open: async () => {}, ring: (message) => this.#ring(message), close: async () => {} },
      close: async () => {},
    };
  }

  #read(name: string, values: readonly unknown[]): readonly object[] {
    const { rows, events } = this.#world.database;
    if (name === 'read') {
      const [search, after, limit] = values as [string, number, number];
      return (events.get(search) ?? []).slice(after + 1, after + 1 + limit);
    }
    const all = [...rows.values()].map((row) => ({ ...row }));
    if (name === 'find') return all.filter(({ id }) => id === values[0]);
    if (name === 'unfinished') return all.filter(({ ended_ms }) => ended_ms === null);
    return name === 'list' ? all.reverse() : [];
  }

  /** Half of the bells are missed. */
  #ring(message: Parameters<PostgresParts['bell']['ring']>[0]): void {
    for (const other of this.#world.nodes) {
      if (other === this || !this.link.isUp || !other.link.isUp || this.#world.random.chance(0.5)) continue;
      other.timers.after(1, () => other.#ears?.hear({ node: this.name, ...message }));
    }
  }

  #queue(): ClusterOptions['queue'] {
    const { name } = this;
    return {
      offer: ({ id, model, turn }) => this.#call((database) => database.offer(id, model, turn)),
      hold: (model, searches) =>
        this.#call((database) => searches.forEach(({ id, turn }) => void database.offer(id, model, turn, name))),
      take: (model) => this.#call((database) => database.take(model, name)),
      touch: (_, ids) => this.#call((database) => database.touch(ids)),
      complete: (_, ids) => this.#call((database) => ids.forEach((id) => void database.leases.delete(id))),
      giveBack: (_, ids) => this.#call((database) => database.giveBack(ids)),
      offerOrphans: (living) =>
        this.#call((database) => {
          const orphans = database
            .deserted(living)
            .filter((row) => row.background === 1 || row.home !== undefined)
            .filter(({ id }) => !database.leases.has(id))
            .map(({ id, model, turn }) => ({ id, model, turn }));
          for (const { id, model, turn } of orphans) database.offer(id, model, turn);
          return orphans;
        }),
      close: async () => {},
    };
  }

  #membership(): ClusterOptions['membership'] {
    const { time } = this.#world;
    return {
      beat: () => this.#call(({ nodes }) => void nodes.set(this.name, { seenMs: time.nowMs, servers: [] })),
      living: () =>
        this.#call((database) =>
          database.living().map((node) => ({ node, version: '', models: ['m'], servers: [], report: {}, silentMs: 0 })),
        ),
      skewMs: async () => 0,
      lives: (node) => this.#call((database) => database.living().includes(node)),
      waiting: async () => new Map(),
      queueAgeMs: async () => 0,
      shareUsage: async () => [],
      forgetUsage: async () => {},
      standings: (ids) =>
        this.#call(({ rows }) =>
          ids.flatMap((id) => {
            const row = rows.get(id);
            if (row === undefined) return [];
            const isCancelled = row.cancel_requested === 1;
            return [{ id, node: row.node, home: row.home ?? null, isEnded: row.ended_ms !== null, isCancelled }];
          }),
        ),
      abandoned: (living) =>
        this.#call((database) =>
          database
            .deserted(living)
            .filter((row) => row.background === 0 && row.home === undefined)
            .map(({ id }) => id),
        ),
      leave: async () => {},
      close: async () => {},
    };
  }
}

/** Steps a runtime in virtual time. */
class VirtualLoop implements Loop {
  readonly #timers: Timers;
  #runtime: Runtime | undefined;
  #isWoken = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  readonly wake = (): void => {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#timers.after(0, () => this.#step());
  };

  drive(runtime: Runtime): void {
    this.#runtime = runtime;
  }

  stop(): void {
    this.#runtime = undefined;
  }

  #step(): void {
    this.#isWoken = false;
    this.#runtime?.step();
    const wakeMs = this.#runtime?.nextWakeMs();
    if (wakeMs !== undefined) this.#timers.after(Math.max(1, wakeMs - this.#timers.nowMs()), () => this.#step());
  }
}

/** Two steps a sample; every answer is a number that no engine has given before. */
class VirtualEngine implements Engine {
  readonly capabilities = {
    name: 'virtual',
    seeded: false,
    logprobs: true,
    streams: false,
    priorities: false,
    countsCache: true,
    contextTokens: 100_000,
  };
  readonly #timers: Timers;
  readonly #world: NodeWorld;
  readonly #open = new Set<RequestId>();
  #post: (message: EngineMessage) => void = () => {};

  constructor(timers: Timers, world: NodeWorld) {
    this.#timers = timers;
    this.#world = world;
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
  }

  generate(requests: readonly GenerateRequest[]): void {
    for (const request of requests) {
      this.#open.add(request.id);
      this.#timers.after(50 + this.#world.random.integer(2000), () => this.#answer(request));
    }
  }

  cancel(requests: readonly RequestId[]): void {
    for (const request of requests) {
      if (!this.#open.delete(request)) continue;
      this.#timers.after(5, () => this.#post({ type: 'fault', request, fault: fault('cancelled', 'cancelled') }));
    }
  }

  release(): void {}

  load() {
    return { runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: 1, healthy: true };
  }

  async close(): Promise<void> {}

  #answer({ id, path }: GenerateRequest): void {
    if (!this.#open.delete(id)) return;
    this.#world.answers += 1;
    const isLast = path.length > 0;
    const text = isLast ? `The answer is ${this.#world.answers}.` : `Step ${this.#world.answers}.\n\n`;
    const usage = { computedTokens: 3, cachedTokens: 0, generatedTokens: 4 };
    const step = { text, tokens: 4, meanLogprob: -0.5, end: isLast ? 'eos' : 'delimiter' } as const;
    this.#post({ type: 'step', request: id, step, usage });
  }
}
