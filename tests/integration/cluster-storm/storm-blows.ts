// What happens to the cluster, by seed: rounds in which each kind of blow comes once or more, in an order of its own, each on a node
// that is well, so that none is out for so long that the others take it for dead.

import { Random } from '../../../packages/core/src/base/random.ts';
import { pause, type StormWorld } from './storm-world.ts';
import { takeovers } from './takeovers.ts';

const kinds = ['kill', 'kill', 'pause', 'silence', 'refuse', 'lose answers', 'lose answers', 'late commit', 'restart'];

/** Longer than a lease, shorter than the silence after which a node counts as dead. */
const outageMs = 13_000;
const shortOutageMs = 4000;
/** Answers that are lost in one blow. */
const mostLost = 3;
const refusedMs = 1000;
/** What the journal writes; now and then the queue between nodes, and signs of life. */
const journalTables = /\bcoppice\.(searches|events|documents|parts)\b/;

export class StormBlows {
  readonly #world: StormWorld;
  readonly #random: Random;
  readonly #out = new Set<number>();
  readonly #mended: Promise<void>[] = [];
  readonly #measured: Promise<number[]>[] = [];
  readonly counts = new Map<string, number>();
  /** Commits whose answers were lost. */
  lostAnswers = 0;

  constructor(world: StormWorld, seed: number) {
    this.#world = world;
    this.#random = new Random('storm-blows', seed);
  }

  /** Until the storm is over. Resolves when all is mended, to how long searches of killed nodes waited. */
  async run(everyMs: number): Promise<number[]> {
    while (!this.#world.isOver()) {
      for (const kind of this.#shuffled()) {
        await pause(this.#world, everyMs);
        if (this.#world.isOver()) break;
        await this.#strike(kind);
      }
    }
    await Promise.all(this.#mended);
    return (await Promise.all(this.#measured)).flat().sort((a, b) => a - b);
  }

  #shuffled(): string[] {
    return kinds
      .map((kind) => ({ kind, at: this.#random.uniform() }))
      .sort((a, b) => a.at - b.at)
      .map(({ kind }) => kind);
  }

  async #strike(kind: string): Promise<void> {
    const { cluster } = this.#world;
    const well = [0, 1, 2].filter((at) => !this.#out.has(at));
    const at = well[this.#random.integer(Math.max(1, well.length))];
    if (at === undefined) return;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (kind === 'restart') return cluster.database.restart();
    if (kind === 'kill') return this.#kill(at);
    this.#mended.push(this.#outage(at, kind));
  }

  async #kill(at: number): Promise<void> {
    const { cluster } = this.#world;
    const { pid } = cluster.nodes[at]!.served;
    this.#out.add(at);
    await cluster.kill(at);
    this.#measured.push(takeovers(this.#world, pid));
    await cluster.start(at);
    this.#out.delete(at);
  }

  async #outage(at: number, kind: string): Promise<void> {
    const line = this.#world.cluster.lines[at]!;
    const { served } = this.#world.cluster.nodes[at]!;
    const forMs = this.#random.chance(0.6) ? outageMs : shortOutageMs;
    this.#out.add(at);
    if (kind === 'pause') {
      served.pause();
      await pause(this.#world, forMs);
      served.resume();
    } else if (kind === 'silence' || kind === 'refuse') {
      if (kind === 'silence') line.cut();
      else line.refuse();
      await pause(this.#world, forMs);
      line.mend();
    } else await this.#loseAnswers(at, kind === 'late commit');
    this.#out.delete(at);
  }

  async #loseAnswers(at: number, isLate: boolean): Promise<void> {
    const line = this.#world.cluster.lines[at]!;
    const late = isLate ? { lateMs: 300 + this.#random.uniform() * 2000 } : {};
    for (let tries = 0; tries < mostLost; tries += 1) {
      const matching = this.#random.chance(0.8) ? { matching: journalTables } : {};
      const lost = line.loseAnswer({ ...matching, ...late, refusedMs });
      const isLost = await Promise.race([lost.then(() => true), pause(this.#world, shortOutageMs).then(() => false)]);
      if (isLost) this.lostAnswers += 1;
      await pause(this.#world, 2 * refusedMs);
    }
    line.mend();
  }
}
