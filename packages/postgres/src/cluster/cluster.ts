// One node among several. It starts the searches it has room for, under a lease, and offers the others to the queue between nodes, from which
// each node takes as many as fit. It recovers searches of dead nodes. Any call here may fail or come late: the journal's epochs keep
// searches whole, and each round starts from the tables.

import { every, liveTimers, type Timers } from '@coppice/core/base';
import type { Cluster, HeldSearch, LivingNode, OfferedSearch, Taker } from '@coppice/core/journal';
import { describeError } from '../journal/connection.ts';
import type { PostgresJournal } from '../journal/postgres-journal.ts';
import { LeaseWriter } from './lease-writer.ts';
import type { Membership, Standing } from './membership.ts';
import type { NodeQueue } from './node-queue.ts';
import { serverName } from './server-name.ts';
import { ServerShares } from './server-shares.ts';

/** The public part of a class. */
type Surface<Thing> = Pick<Thing, keyof Thing>;

export interface ClusterOptions {
  readonly journal: Pick<PostgresJournal, 'node' | 'onQueued' | 'ringQueued'>;
  readonly queue: Surface<NodeQueue>;
  readonly membership: Surface<Membership>;
  readonly models: readonly string[];
  readonly machine: string;
  readonly warn: (message: string) => void;
  readonly timers?: Timers;
}

const beatMs = 2000;
/** Interval between looks at the queue, in case a bell was missed. */
const lookMs = 500;
const sweepEvery = 5;

export class PostgresCluster implements Cluster {
  readonly #options: ClusterOptions;
  readonly #leases: LeaseWriter;
  /** Searches whose leases this node holds, and their models. */
  readonly #held = new Map<string, string>();
  /** Searches accepted while the database was unreachable, and not in the queue yet. */
  readonly #unsent = new Map<string, OfferedSearch>();
  readonly #taking = new Set<string>();
  readonly #takeAgain = new Set<string>();
  /** Models for which the queue was empty at the last look. */
  readonly #drained = new Set<string>();
  #living: readonly LivingNode[] = [];
  /** Searches in the queue between nodes, by owner, as of the last beat. */
  #waiting: ReadonlyMap<string, number> = new Map();
  readonly #shares = new ServerShares();
  #servers = '';
  /** `living` was read since the last beat: the next beat reads the reports of all nodes. */
  #isWatched = false;
  #queueAgeMs = 0;
  #taker: Taker | undefined;
  #isTaking = false;
  #stops: (() => void)[] = [];
  #beats = 0;
  #isBeating = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#leases = new LeaseWriter(options.queue, (what, error) => this.#warn(what, error));
  }

  get node(): string {
    return this.#options.journal.node;
  }

  async start(taker: Taker): Promise<void> {
    const { journal } = this.#options;
    this.#taker = taker;
    this.#isTaking = true;
    await this.#exchangeBeats(taker);
    journal.onQueued = (model) => {
      this.#drained.delete(model);
      void this.#take(model);
    };
    const { timers = liveTimers } = this.#options;
    this.#stops = [every(timers, beatMs, () => void this.#beat()), every(timers, lookMs, () => this.look())];
    this.look();
  }

  isDrained(model: string): boolean {
    return this.#isTaking && this.#drained.has(model);
  }

  /** Asks the tables about an unknown node: it may be newer than the last beat. */
  async lives(node: string): Promise<boolean> {
    const isKnown = node === this.node || this.#living.some((each) => each.node === node);
    return isKnown || this.#options.membership.lives(node);
  }

  get living(): readonly LivingNode[] {
    this.#isWatched = true;
    return this.#living;
  }

  waiting(owner?: string): number {
    if (owner !== undefined) return this.#waiting.get(owner) ?? 0;
    return [...this.#waiting.values()].reduce((sum, each) => sum + each, 0);
  }

  get queueAgeMs(): number {
    return this.#queueAgeMs;
  }

  async offer(search: OfferedSearch): Promise<void> {
    const { queue, journal } = this.#options;
    this.#drained.delete(search.model);
    this.#unsent.set(search.id, search);
    try {
      await queue.offer(search);
      this.#unsent.delete(search.id);
    } catch (error) {
      return this.#warn('offer', error);
    }
    await this.#take(search.model);
    if (!this.#held.has(search.id)) journal.ringQueued(search.model);
  }

  hold(search: OfferedSearch): void {
    this.#held.set(search.id, search.model);
    this.#leases.hold(search);
  }

  ended({ id, plan: { model } }: HeldSearch): void {
    this.#held.delete(id);
    this.#leases.complete({ id, model });
    void this.#take(model);
  }

  drop(id: string): void {
    this.#held.delete(id);
  }

  look(): void {
    for (const model of this.#options.models) void this.#take(model);
  }

  stop(): void {
    this.#isTaking = false;
  }

  async giveBack(searches: readonly HeldSearch[]): Promise<void> {
    const { queue, journal } = this.#options;
    await this.#leases.settled();
    for (const [model, group] of Map.groupBy(searches, ({ plan }) => plan.model)) {
      const ids = group.map(({ id }) => id);
      await queue.giveBack(model, ids).catch((error: unknown) => this.#warn('give back', error));
      journal.ringQueued(model);
    }
  }

  async close(): Promise<void> {
    this.stop();
    this.#taker = undefined;
    for (const stop of this.#stops) stop();
    await this.#leases.settled();
    await this.#options.membership.leave().catch(() => {});
    await Promise.all([this.#options.queue.close(), this.#options.membership.close()]);
  }

  // ---- taking ----------------------------------------------------------------------------------------------------

  /** Takes one search at a time per model while there is room; a call meanwhile makes it look once more. */
  async #take(model: string): Promise<void> {
    if (this.#taking.has(model)) {
      this.#takeAgain.add(model);
      return;
    }
    this.#taking.add(model);
    try {
      while (this.#isTaking && this.#taker?.hasRoom(model) === true && (await this.#takeOne(model, this.#taker)));
    } catch (error) {
      this.#warn('take', error);
    }
    this.#taking.delete(model);
    if (this.#takeAgain.delete(model)) return this.#take(model);
  }

  async #takeOne(model: string, taker: Taker): Promise<boolean> {
    const { queue } = this.#options;
    const id = await queue.take(model);
    if (id === undefined) {
      if (!this.#takeAgain.has(model)) this.#drained.add(model);
      return false;
    }
    const outcome = await taker.takeUp(id);
    if (outcome === 'runs') this.#held.set(id, model);
    if (outcome === 'over') this.#leases.complete({ id, model });
    if (outcome === 'missed') await queue.giveBack(model, [id]);
    return outcome !== 'missed';
  }

  // ---- every few seconds -----------------------------------------------------------------------------------------

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#exchangeBeats(this.#taker);
      await this.#keepLeases();
      for (const search of this.#unsent.values()) await this.offer(search);
      this.#leases.retry();
      this.#beats += 1;
      if (this.#beats % sweepEvery === 0) await this.#sweep();
    } catch (error) {
      this.#drained.clear();
      this.#warn('beat', error);
    }
    this.#isBeating = false;
  }

  /** Writes this node's beat and reads those of the others. */
  async #exchangeBeats(taker: Taker | undefined): Promise<void> {
    const { membership } = this.#options;
    const { machine } = this.#options;
    const servers = [...new Set((taker?.servers() ?? []).map((url) => serverName(url, machine)))];
    await membership.beat(taker?.report() ?? {}, servers);
    this.#living = await membership.living(this.#isWhole(servers.join(' ')));
    this.#waiting = await membership.waiting();
    this.#queueAgeMs = this.#waiting.size === 0 ? 0 : await membership.queueAgeMs();
    if (taker === undefined) return;
    this.#divide(taker);
    taker.usedElsewhere(await membership.shareUsage(taker.used()));
  }

  /** True if this beat has to read servers and reports of all nodes: `living` was read, servers changed, or the last reading is old. */
  #isWhole(servers: string): boolean {
    const isWhole = this.#isWatched || servers !== this.#servers || this.#beats % sweepEvery === 0;
    this.#isWatched = false;
    this.#servers = servers;
    return isWhole;
  }

  #divide(taker: Taker): void {
    if (!this.#shares.count(this.#living.map(({ servers }) => servers))) return;
    const { machine } = this.#options;
    taker.divide((url) => this.#shares.of(serverName(url, machine)));
  }

  async #keepLeases(): Promise<void> {
    const { membership, queue, models } = this.#options;
    // A lease of a search that does not run here would block the other nodes.
    for (const id of this.#held.keys()) if (this.#taker?.has(id) === false) this.#held.delete(id);
    const standings = await membership.standings([...this.#held.keys()]);
    for (const standing of standings) await this.#follow(standing);
    for (const model of models) {
      const heldIds = [...this.#held].filter(([, of]) => of === model).map(([id]) => id);
      await queue.touch(model, heldIds);
    }
  }

  async #follow({ id, node, home, isEnded, isCancelled }: Standing): Promise<void> {
    if (isEnded) return;
    const hasLostClient = home !== null && !(await this.lives(home));
    if (node !== this.node) {
      this.#held.delete(id);
      this.#taker?.lose(id);
    } else if (isCancelled || hasLostClient) this.#taker?.cancel(id);
  }

  /** Recovers searches of dead nodes that have no lease. */
  async #sweep(): Promise<void> {
    const { membership, queue } = this.#options;
    const living = this.#living.map(({ node }) => node);
    await membership.forgetUsage();
    const orphans = await queue.offerOrphans(living);
    for (const id of await membership.abandoned(living)) await this.#taker?.takeUp(id);
    if (orphans.length > 0) this.look();
  }

  #warn(what: string, error: unknown): void {
    this.#options.warn(`${what}: ${describeError(error)}`);
  }
}
