// One storm of the journal, from one seed: three nodes on a simulated database that breaks off, hangs and forgets to answer; nodes
// that freeze, die and come back; clients that chat, work in the background, poll and list on any node. Then calm, until all is over.
// What must hold: an acknowledged search is stored once and ends; `done` has its `exited`; what any client was told of an end is what
// the tables hold; a refused search does not run.

import { VirtualTime } from '../../../lab/src/cluster-sim/virtual-time.ts';
import { Random } from '../../../packages/core/src/base/random.ts';
import { listed, lookUp } from '../../../packages/gateway/src/api/searches-api.ts';
import type { LiveSearch } from '../../../packages/gateway/src/searches/live-search.ts';
import type { Loose } from '../../support/loose.ts';
import { calm, SimulatedDatabase } from './simulated-database.ts';
import { caller, type NodeWorld, SimulatedNode } from './simulated-node.ts';

export interface StormOptions {
  readonly seed: number;
  readonly searches?: number;
  /** Nodes live and are never out for as long as a lease lasts: then no search may move either. */
  readonly isGentle?: boolean;
  /** Told what happens, with the time, in the order in which it does. */
  readonly trace?: (what: string) => void;
}

export interface StormReport {
  readonly searches: number;
  readonly acknowledged: number;
  /** Ends that clients were told. */
  readonly told: number;
  readonly moved: number;
  readonly problems: readonly string[];
}

interface ToldEnd {
  readonly id: string;
  readonly by: string;
  readonly state: string;
  readonly content: unknown;
  /** Missing where the answer went out before the last cost was known. */
  readonly usage?: unknown;
}

const gentleHarms = ['cut off', 'database restart', 'bad weather', 'bad weather'] as const;
const harms = [...gentleHarms, 'frozen', 'killed'] as const;

const stormMs = 25_000;
const calmMs = 240_000;

export async function runStorm(options: StormOptions): Promise<StormReport> {
  const storm = new JournalStorm(options);
  await storm.run();
  return storm.report();
}

class JournalStorm {
  readonly #random: Random;
  readonly #count: number;
  readonly #isGentle: boolean;
  readonly #world: NodeWorld;
  readonly #told: ToldEnd[] = [];
  readonly #acknowledged = new Set<string>();
  readonly #refused = new Set<string>();
  /** Clients of nodes that live, and what they wait for. */
  readonly #waiting = new Map<string, SimulatedNode>();
  #started = 0;
  /** Nodes of clients that do not know yet whether their search was accepted. */
  readonly #asking = new Set<{ readonly node: SimulatedNode }>();

  constructor({ seed, searches = 5, isGentle = false, trace: tell = () => {} }: StormOptions) {
    this.#isGentle = isGentle;
    this.#random = new Random('journal-storm', seed);
    this.#count = searches;
    const time = new VirtualTime();
    const trace = (what: string) => tell(`${Math.round(time.nowMs)} ${what}`);
    const database = new SimulatedDatabase(time, new Random('database', seed), trace);
    this.#world = { time, database, random: new Random('nodes', seed), nodes: [], answers: 0, trace };
  }

  async run(): Promise<void> {
    const { time } = this.#world;
    for (let at = 0; at < 3; at += 1) this.#startNode();
    await time.run(100);
    for (let at = 0; at < this.#count; at += 1) time.at(this.#random.uniform() * stormMs * 0.7, () => this.#begin(at));
    for (let at = 0; at < 7; at += 1) time.at(this.#random.uniform() * stormMs, () => this.#harm());
    for (let at = 0; at < 3; at += 1) time.at(this.#random.uniform() * (stormMs + 20_000), () => this.#list());
    await time.run(stormMs);
    for (const node of this.#world.nodes) {
      node.thaw();
      node.link.weather = calm;
      node.link.isUp = true;
    }
    await time.run(stormMs + calmMs, () => this.#isOver());
    // For those who are told of an end by looking.
    await time.run(time.nowMs + 6000);
  }

  #isOver(): boolean {
    const rows = [...this.#world.database.rows.values()];
    const asked = [...this.#asking].map(({ node }) => node);
    const isWaitedFor = [...this.#waiting.values(), ...asked].some(({ isDead }) => !isDead);
    const lives = this.#world.nodes.some(({ isDead, searches }) => !isDead && [...searches.live].length > 0);
    const isAllBegun = this.#started === this.#count && this.#world.database.late === 0;
    return isAllBegun && !isWaitedFor && !lives && rows.every(({ ended_ms }) => ended_ms !== null);
  }

  #startNode(): void {
    const { nodes } = this.#world;
    const node = new SimulatedNode(this.#world, `node-${nodes.length}`, (this.#random.uniform() - 0.5) * 4000);
    nodes.push(node);
    const start = () => void node.start().catch(() => node.timers.after(1000, start));
    start();
  }

  #anyNode(): SimulatedNode | undefined {
    const well = this.#world.nodes.filter(({ isWell }) => isWell);
    return well[this.#random.integer(Math.max(1, well.length))];
  }

  // ---- clients ---------------------------------------------------------------------------------------------------------

  #begin(at: number): void {
    const node = this.#anyNode();
    this.#started += 1;
    if (node === undefined) return;
    const kind = this.#random.integer(4);
    const background = kind !== 0;
    const key = kind === 2 ? { idempotencyKey: `key-${at}` } : {};
    this.#ask(node, at, { background, body: { at }, ...key }, kind === 2 ? 3 : 0);
  }

  #ask(node: SimulatedNode, at: number, options: Loose, tries: number): void {
    const before = new Set([...node.searches.live].map(({ id }) => id));
    const asking = { node };
    this.#asking.add(asking);
    const started = node.searches.start(node.plan(at), caller, options as never);
    const made = [...node.searches.live].map(({ id }) => id).find((id) => !before.has(id));
    started
      .then((search) => {
        this.#asking.delete(asking);
        const id = 'known' in search ? search.known : search.id;
        if (options.background) this.#acknowledged.add(id);
        if (options.background) return this.#pollLater(id, 5);
        this.#waiting.set(id, node);
        return this.#wait(search as LiveSearch);
      })
      .catch(() => {
        this.#asking.delete(asking);
        if (made !== undefined && options.idempotencyKey === undefined) this.#refused.add(made);
        const other = this.#anyNode();
        if (tries > 0) this.#world.time.after(1500, () => other && this.#ask(other, at, options, tries - 1));
      });
  }

  async #wait(search: LiveSearch): Promise<void> {
    const { id, ended } = await search.wait();
    this.#waiting.delete(search.id);
    if (ended?.result === undefined) return;
    const { texts } = ended.result;
    this.#told.push({ id, by: 'chat', state: ended.state, content: texts.content });
  }

  #pollLater(id: string, times: number): void {
    if (times === 0) return;
    this.#world.time.after(200 + this.#random.uniform() * 9000, () => {
      const node = this.#anyNode();
      node?.run(() => void this.#poll(node, id));
      this.#pollLater(id, times - 1);
    });
  }

  async #poll(node: SimulatedNode, id: string): Promise<void> {
    try {
      const { state, result } = await lookUp(node, caller, id);
      if (state === 'queued' || state === 'running') return;
      this.#told.push({ id, by: `poll of ${node.name}`, state, content: result?.content, usage: result?.usage });
    } catch {
      // The node cannot reach the journal, and says so.
    }
  }

  #list(): void {
    const node = this.#anyNode();
    node?.run(async () => {
      const rows = await listed(node, { limit: 100 }).catch(() => []);
      for (const { id, state } of rows)
        if (state === 'done') this.#told.push({ id, by: `list of ${node.name}`, state, content: undefined });
    });
  }

  // ---- harm ------------------------------------------------------------------------------------------------------------

  #harm(): void {
    const { time, nodes } = this.#world;
    const living = nodes.filter(({ isDead }) => !isDead);
    const node = living[this.#random.integer(living.length)];
    if (node === undefined) return;
    const isLong = !this.#isGentle && this.#random.chance(0.3);
    const forMs = this.#random.uniform() * (isLong ? 35_000 : 3000);
    const kinds = this.#isGentle ? gentleHarms : harms;
    const harm = kinds[this.#random.integer(kinds.length)]!;
    this.#world.trace(`${node.name} ${harm} for ${Math.round(forMs)}`);
    switch (harm) {
      case 'cut off':
        return node.cut(forMs);
      case 'database restart':
        for (const each of living) each.cut(500 + this.#random.uniform() * 1500);
        return;
      case 'frozen':
        node.freeze();
        return void time.after(forMs, () => node.thaw());
      case 'killed':
        node.kill();
        return void time.after(this.#random.uniform() * 5000, () => this.#startNode());
      case 'bad weather':
        node.link.weather = { broken: 0.15, lostAck: 0.3, hung: this.#isGentle ? 0 : 0.05 };
        return void time.after(forMs, () => {
          node.link.weather = calm;
        });
    }
  }

  // ---- what must hold ----------------------------------------------------------------------------------------------------

  /** Two nodes that ran it were killed. */
  #isSetAside(id: string): boolean {
    const { database, nodes } = this.#world;
    const dead = new Set(nodes.filter(({ isDead }) => isDead).map(({ name }) => name));
    const died = database.takers.get(id)?.filter((name) => dead.has(name)) ?? [];
    return database.rows.get(id)?.outcome?.includes('2 processes died') === true && died.length >= 2;
  }

  report(): StormReport {
    const { database, nodes } = this.#world;
    const problems: string[] = [];
    const say = (isWrong: boolean, id: string, what: string) => isWrong && problems.push(`${id.slice(-6)}: ${what}`);
    for (const id of this.#acknowledged) say(!database.rows.has(id), id, 'was acknowledged and is lost');
    for (const [id, node] of this.#waiting) say(!node.isDead, id, 'its client waits for ever');
    for (const row of database.rows.values()) for (const what of problemsOf(row, database)) say(true, row.id, what);
    for (const id of this.#acknowledged) {
      const state = database.rows.get(id)?.state;
      say(state !== 'done' && !this.#isSetAside(id), id, `was acknowledged and is ${state}`);
    }
    for (const id of this.#refused) {
      const row = database.rows.get(id);
      say(row !== undefined && row.epoch === 0 && row.state !== 'cancelled', id, `was refused and is ${row?.state}`);
    }
    for (const told of this.#told) {
      const row = database.rows.get(told.id);
      const [outcome, texts] = [row?.outcome, row?.texts].map((text) => JSON.parse(text ?? '{}') as Loose);
      const content = told.by.startsWith('list') ? undefined : (texts?.content ?? null);
      say(row?.state !== told.state, told.id, `${told.by} was told ${told.state}, and it is ${row?.state}`);
      if (content !== undefined)
        say(
          (told.content ?? null) !== content,
          told.id,
          `${told.by} was told ${JSON.stringify(told.content)}, and it is ${JSON.stringify(content)}`,
        );
      if (told.usage !== undefined)
        say(
          JSON.stringify(told.usage) !== JSON.stringify(outcome?.usage),
          told.id,
          `${told.by} was told another usage`,
        );
    }
    for (const node of nodes.filter(({ isDead }) => !isDead))
      for (const { id } of node.searches.live) say(true, id, `still lives on ${node.name}`);
    const moved = [...database.rows.values()].filter(({ epoch }) => epoch > 1);
    const hadBegun = (id: string) => database.events.get(id)?.[0]?.epoch === 1;
    if (this.#isGentle) for (const { id } of moved) say(hadBegun(id), id, 'ran well and was taken for lost');
    return {
      searches: database.rows.size,
      acknowledged: this.#acknowledged.size,
      told: this.#told.length,
      moved: moved.length,
      problems: [...new Set(problems)],
    };
  }
}

function problemsOf(row: Loose, { events }: SimulatedDatabase): string[] {
  const log = events.get(row.id) ?? [];
  const bodies = log.flatMap(({ body }) => {
    const { more = [], ...first } = JSON.parse(body) as Loose;
    return [first, ...more] as Loose[];
  });
  const exits = bodies.filter(({ type }) => type === 'exited');
  const outcome = JSON.parse(row.outcome ?? '{}') as Loose;
  const found: [boolean, string][] = [
    [row.ended_ms === null, `has no end: ${row.state} at epoch ${row.epoch} on ${row.node}`],
    [row.state === 'done' && exits.length !== 1, `is done with ${exits.length} exits in its log`],
    [exits.length > 1, 'ended twice'],
    [log.some(({ epoch }, at) => at > 0 && epoch < log[at - 1]!.epoch), 'an older epoch wrote after a newer one'],
    [
      row.state === 'done' && JSON.stringify(outcome.exit) !== JSON.stringify(exits[0]?.exit),
      'its result is not what its log says',
    ],
  ];
  return found.filter(([isWrong]) => isWrong).map(([, what]) => what);
}

/** Of the seeds from the first up to the end, each with its number. */
export async function faultsOf(first: number, end: number): Promise<string[]> {
  const found: string[] = [];
  for (let seed = first; seed < end; seed += 1) {
    const { problems } = await runStorm({ seed, isGentle: seed % 4 === 0 });
    for (const problem of problems) found.push(`seed ${seed}: ${problem}`);
  }
  return found;
}
