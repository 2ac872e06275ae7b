// One node among several. It offers what it accepts to the queue between nodes, takes from there what it has room for, keeps
// its leases, and looks after what dead nodes left. The node that accepted a search tries first; the others hear of it when
// that one has no room. Everything here may fail or come late: the journal's epochs keep searches whole, and each round
// begins from what the tables say.

import type { PostgresJournal } from '../journal/postgres/postgres-journal.ts';
import type { Membership, Standing } from './membership.ts';
import type { NodeQueue, OfferedSearch } from './node-queue.ts';

/** What takes searches up: the gateway of this node. */
export interface Taker {
  hasRoom(model: string): boolean;
  /** `runs`: here, from now on; `over`: it has an end; `missed`: somebody else has it. */
  takeUp(id: string): Promise<'runs' | 'over' | 'missed'>;
  /** Somebody has asked for it to end. */
  cancel(id: string): void;
  /** Another node has it: stop, write nothing more. */
  lose(id: string): void;
}

export interface EndedSearch {
  readonly id: string;
  readonly plan: { readonly model: string };
  /** Only these are in the queue between nodes. */
  readonly background: boolean;
}

export interface ClusterOptions {
  readonly journal: PostgresJournal;
  readonly queue: NodeQueue;
  readonly membership: Membership;
  readonly models: readonly string[];
  readonly warn: (message: string) => void;
}

const beatMs = 2000;
/** For bells that were missed. */
const lookMs = 500;
/** Beats between two looks at what dead nodes left. */
const sweepEvery = 5;

export class Cluster {
  readonly #options: ClusterOptions;
  /** Searches whose leases are held here, with their models. */
  readonly #held = new Map<string, string>();
  /** Accepted here, and not in the queue yet: the database was away. */
  readonly #unsent = new Map<string, OfferedSearch>();
  readonly #taking = new Set<string>();
  readonly #again = new Set<string>();
  #taker: Taker | undefined;
  #timers: NodeJS.Timeout[] = [];
  #beats = 0;
  #isBeating = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  async start(taker: Taker): Promise<void> {
    this.#taker = taker;
    await this.#options.membership.beat();
    this.#options.journal.onQueued = (model) => void this.#take(model);
    this.#timers = [setInterval(() => void this.#beat(), beatMs), setInterval(() => this.look(), lookMs)];
    for (const timer of this.#timers) timer.unref();
    this.look();
  }

  /** After it was accepted: nothing is lost if this fails, it only comes later. */
  async offer(search: OfferedSearch): Promise<void> {
    const { queue, journal } = this.#options;
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

  /** Its end is written, and there may be room for another. */
  ended({ id, plan: { model }, background }: EndedSearch): void {
    this.#held.delete(id);
    if (background) this.#options.queue.complete(model, id).catch((error: unknown) => this.#warn('complete', error));
    void this.#take(model);
  }

  /** There may be room now. */
  look(): void {
    for (const model of this.#options.models) void this.#take(model);
  }

  /** Takes nothing more. What is held is given back by `giveBack`, once it has stopped here. */
  stop(): void {
    this.#taker = undefined;
    for (const timer of this.#timers) clearInterval(timer);
  }

  async giveBack(ids: readonly string[]): Promise<void> {
    const { queue, models, journal } = this.#options;
    for (const model of models) {
      const mine = ids.filter((id) => this.#held.get(id) === model);
      await queue.giveBack(model, mine).catch((error: unknown) => this.#warn('give back', error));
      if (mine.length > 0) journal.ringQueued(model);
    }
    for (const id of ids) this.#held.delete(id);
  }

  async close(): Promise<void> {
    this.stop();
    await this.#options.membership.leave().catch(() => {});
    await Promise.all([this.#options.queue.close(), this.#options.membership.close()]);
  }

  // ---- taking ----------------------------------------------------------------------------------------------------

  /** One at a time for each model, while there is room: whoever comes meanwhile makes it look once more. */
  async #take(model: string): Promise<void> {
    if (this.#taking.has(model)) {
      this.#again.add(model);
      return;
    }
    this.#taking.add(model);
    try {
      while (this.#taker?.hasRoom(model) === true && (await this.#takeOne(model, this.#taker)));
    } catch (error) {
      this.#warn('take', error);
    }
    this.#taking.delete(model);
    if (this.#again.delete(model)) return this.#take(model);
  }

  /** False where nothing waits. */
  async #takeOne(model: string, taker: Taker): Promise<boolean> {
    const { queue } = this.#options;
    const id = await queue.take(model);
    if (id === undefined) return false;
    const outcome = await taker.takeUp(id);
    if (outcome === 'runs') this.#held.set(id, model);
    if (outcome === 'over') await queue.complete(model, id);
    if (outcome === 'missed') await queue.giveBack(model, [id]);
    return outcome !== 'missed';
  }

  // ---- every few seconds -----------------------------------------------------------------------------------------

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#options.membership.beat();
      await this.#keepLeases();
      for (const search of this.#unsent.values()) await this.offer(search);
      this.#beats += 1;
      if (this.#beats % sweepEvery === 0) await this.#sweep();
    } catch (error) {
      this.#warn('beat', error);
    }
    this.#isBeating = false;
  }

  async #keepLeases(): Promise<void> {
    const { membership, queue, models } = this.#options;
    const standings = await membership.standings([...this.#held.keys()]);
    for (const standing of standings) this.#follow(standing);
    for (const model of models) {
      const mine = [...this.#held].filter(([, of]) => of === model).map(([id]) => id);
      await queue.touch(model, mine);
    }
  }

  #follow({ id, isMine, isEnded, isCancelled }: Standing): void {
    if (isEnded) return;
    if (!isMine) {
      this.#held.delete(id);
      this.#taker?.lose(id);
    } else if (isCancelled) this.#taker?.cancel(id);
  }

  /** What nodes that died left behind and no lease brings back. */
  async #sweep(): Promise<void> {
    const { membership, queue } = this.#options;
    const living = await membership.living();
    const orphans = await queue.offerOrphans(living);
    for (const id of await membership.abandoned(living)) await this.#taker?.takeUp(id);
    if (orphans.length > 0) this.look();
  }

  #warn(what: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#options.warn(`${what}: ${message.replaceAll(/\s*\n\s*/g, ' ')}`);
  }
}
