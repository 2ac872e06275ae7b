// One PostgreSQL in virtual time: the tables of the journal, and the queue between nodes. Every statement takes time on one of its cores. Lost and
// doubled writes are counted at once, so that the logs of ended searches can be dropped soon, and their rows later, as retention would.

import { Heap } from '@coppice/core/base';
import type { Cores } from './cores.ts';
import { type Costs, latencyMs } from './costs.ts';
import { type EntryRow, JournalTables, type SearchRow } from './journal-tables.ts';
import type { VirtualTime } from './virtual-time.ts';

interface SearchLease {
  readonly search: string;
  readonly owner: string;
  readonly turn: number;
  readonly order: number;
  /** Undefined while it waits to be taken. */
  taken: { node: string; beatMs: number } | undefined;
  isOver: boolean;
}

const leaseMs = 10_000;
/** How long the row of an ended search is kept, for nodes that ask how it stands. */
const keptMs = 60_000;
/** How long its log is, for the node whose client waits: it reads as soon as it is told of the end. */
const logKeptMs = 5000;

interface EndedSearch {
  readonly id: string;
  readonly endedMs: number;
}

export class Database extends JournalTables {
  readonly usage = new Map<
    string,
    Map<string, { windowMs: number; spanMs: number; requests: number; tokens: number }>
  >();
  readonly counts = {
    statements: 0,
    commits: 0,
    writes: 0,
    events: 0,
    accepted: 0,
    ended: 0,
    doubled: 0,
    moved: 0,
    bytes: 0,
  };
  /** Told when a search's last word is safe, and when its record is. */
  onExited: (row: SearchRow) => void = () => {};
  onEnded: (row: SearchRow) => void = () => {};
  readonly #time: VirtualTime;
  readonly #cores: Cores;
  readonly #costs: Costs;
  readonly #leases = new Map<string, SearchLease>();
  readonly #waiting = new Heap<SearchLease>((a, b) => a.turn < b.turn || (a.turn === b.turn && a.order < b.order));
  /** Searches whose log has its last word. */
  readonly #exited = new Set<string>();
  /** In the order of their ends. */
  readonly #withLog: EndedSearch[] = [];
  readonly #withRow: EndedSearch[] = [];
  #order = 0;
  #sweptMs = 0;

  constructor(time: VirtualTime, cores: Cores, costs: Costs) {
    super(time);
    this.#time = time;
    this.#cores = cores;
    this.#costs = costs;
  }

  get busyMs(): number {
    return this.#cores.busyMs;
  }

  /** One statement, or a commit of some writes: applied when a core has done it, answered a way later. */
  call<Result>(leavesMs: number, writes: number, apply: () => Result, answer: (result: Result) => void): void {
    const { commit, write, statement, diskMs } = this.#costs;
    const time = this.#time;
    const isCommit = writes > 0;
    this.counts.statements += 1;
    if (isCommit) this.counts.commits += 1;
    this.counts.writes += writes;
    time.at(leavesMs + latencyMs, () => {
      const costMs = isCommit ? commit + writes * write : statement;
      const doneMs = this.#cores.work(time.nowMs, costMs) + (isCommit ? diskMs : 0);
      time.at(doneMs, () => {
        const result = apply();
        time.after(latencyMs, () => answer(result));
        return false;
      });
      return false;
    });
  }

  // ---- the journal -------------------------------------------------------------------------------------------------

  protected override accepted(): void {
    this.counts.accepted += 1;
  }

  protected override claimed({ epoch }: SearchRow): void {
    if (epoch > 1) this.counts.moved += 1;
  }

  protected override stored(row: SearchRow, { body, texts }: EntryRow): void {
    this.counts.events += 1;
    this.counts.bytes += body.length + (texts?.length ?? 0);
    if (!body.includes('"type":"exited"')) return;
    if (this.#exited.has(row.id)) this.counts.doubled += 1;
    else this.onExited(row);
    this.#exited.add(row.id);
  }

  protected override ended(row: SearchRow): void {
    this.counts.ended += 1;
    this.onEnded(row);
    this.#forgetOld({ id: row.id, endedMs: this.#time.nowMs });
  }

  #forgetOld(ended: EndedSearch): void {
    this.#withLog.push(ended);
    this.#withRow.push(ended);
    for (const { id } of takeUntil(this.#withLog, ended.endedMs - logKeptMs)) this.events.delete(id);
    for (const { id } of takeUntil(this.#withRow, ended.endedMs - keptMs)) {
      this.rows.delete(id);
      this.#exited.delete(id);
    }
  }

  // ---- the queue between nodes ---------------------------------------------------------------------------------------

  offer(search: string, turn: number, node?: string): void {
    if (this.#leases.has(search)) return;
    const taken = node === undefined ? undefined : { node, beatMs: this.#time.nowMs };
    this.#order += 1;
    const owner = this.rows.get(search)?.owner ?? '';
    const lease = { search, owner, turn, order: this.#order, taken, isOver: false };
    this.#leases.set(search, lease);
    if (taken === undefined) this.#waiting.push(lease);
  }

  take(node: string): string | undefined {
    this.#sweepLeases();
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      if (next.isOver || next.taken !== undefined) continue;
      next.taken = { node, beatMs: this.#time.nowMs };
      return next.search;
    }
    return undefined;
  }

  touch(ids: readonly string[]): void {
    for (const id of ids) {
      const taken = this.#leases.get(id)?.taken;
      if (taken !== undefined) taken.beatMs = this.#time.nowMs;
    }
  }

  complete(ids: readonly string[]): void {
    for (const id of ids) {
      const lease = this.#leases.get(id);
      if (lease !== undefined) lease.isOver = true;
      this.#leases.delete(id);
    }
  }

  giveBack(ids: readonly string[]): void {
    for (const id of ids) {
      const lease = this.#leases.get(id);
      if (lease?.taken === undefined) continue;
      lease.taken = undefined;
      this.#waiting.push(lease);
    }
  }

  waitingByOwner(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { taken, owner } of this.#leases.values())
      if (taken === undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  }

  /** For how long the search has waited that came first of those that wait between nodes. */
  queueAgeMs(): number {
    const waiting = [...this.#leases].filter(([, { taken }]) => taken === undefined);
    const made = waiting.map(([id]) => this.rows.get(id)?.created_ms ?? this.#time.nowMs);
    return made.reduce((most, createdMs) => Math.max(most, this.#time.nowMs - createdMs), 0);
  }

  hasLease(id: string): boolean {
    return this.#leases.has(id);
  }

  #sweepLeases(): void {
    const { nowMs } = this.#time;
    if (nowMs - this.#sweptMs < 500) return;
    this.#sweptMs = nowMs;
    const silent = [...this.#leases.values()].filter(
      ({ taken }) => taken !== undefined && taken.beatMs + leaseMs < nowMs,
    );
    this.giveBack(silent.map(({ search }) => search));
  }
}

function takeUntil(searches: EndedSearch[], untilMs: number): EndedSearch[] {
  let count = 0;
  while (count < searches.length && searches[count]!.endedMs <= untilMs) count += 1;
  return searches.splice(0, count);
}
