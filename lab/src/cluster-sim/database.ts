// One PostgreSQL in virtual time: the tables of the journal with their epochs, the queue between nodes and the list of living nodes.
// It has so many cores, and every statement takes its time on one of them. What is lost and doubled is counted as it is written, so
// logs of ended searches are soon dropped, and their rows later, as retention would remove them.

import { type Acceptance, type AppendResult, Heap, type JournalWrite } from 'coppice/internals';
import type { Cores } from './cores.ts';
import { type Costs, latencyMs } from './costs.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SearchRow {
  readonly id: string;
  readonly owner: string;
  readonly idempotency: string | null;
  readonly fingerprint: string;
  readonly background: number;
  readonly created_ms: number;
  readonly about: string;
  readonly title: string | null;
  readonly request: string | null;
  readonly home: string | undefined;
  readonly model: string;
  readonly turn: number;
  state: string;
  epoch: number;
  cancel_requested: number;
  node: string;
  started_ms: number | null;
  ended_ms: number | null;
  outcome: string | null;
  texts: string | null;
  exits: number;
}

export interface EntryRow {
  readonly sequence: number;
  readonly epoch: number;
  readonly at_ms: number;
  readonly body: string;
  readonly texts: string | null;
}

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
const silentMs = 30_000;
/** How long the row of an ended search is kept, for nodes that ask how it stands. */
const keptMs = 60_000;
/** How long its log is, for the node whose client waits: it reads as soon as it is told of the end. */
const logKeptMs = 5000;

interface EndedSearch {
  readonly id: string;
  readonly endedMs: number;
}

export class Database {
  readonly rows = new Map<string, SearchRow>();
  readonly events = new Map<string, EntryRow[]>();
  readonly nodes = new Map<string, { seenMs: number; readonly servers: readonly string[] }>();
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
  readonly #unended = new Set<string>();
  /** In the order of their ends. */
  readonly #withLog: EndedSearch[] = [];
  readonly #withRow: EndedSearch[] = [];
  #order = 0;
  #sweptMs = 0;

  constructor(time: VirtualTime, cores: Cores, costs: Costs) {
    this.#time = time;
    this.#cores = cores;
    this.#costs = costs;
  }

  get unended(): number {
    return this.#unended.size;
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

  apply({ kind, search, row }: JournalWrite, node: string): unknown {
    const known = this.rows.get(search);
    switch (kind) {
      case 'accept':
        return this.#accept(row as unknown as SearchRow, node);
      case 'claim':
        return this.#claim(known, Number(row.epoch), Number(row.at_ms), node);
      case 'append':
        return this.#append(known, row as unknown as EntryRow, node);
      case 'finish':
        return known?.node === node && this.#finish(known, row);
      case 'cancel':
        if (known === undefined || known.ended_ms !== null) return false;
        known.cancel_requested = 1;
        return true;
      case 'retract':
      case 'flush':
        return true;
    }
  }

  #accept(row: SearchRow, node: string): Acceptance {
    if (this.rows.has(row.id)) return { fresh: true };
    const about = JSON.parse(row.about) as { readonly home?: string; readonly model: string; readonly turn?: number };
    const { home, model, turn = 0 } = about;
    const blank = { started_ms: null, ended_ms: null, outcome: null, texts: null };
    this.rows.set(row.id, {
      ...row,
      ...blank,
      home,
      model,
      turn,
      node,
      state: 'queued',
      epoch: 0,
      cancel_requested: 0,
      exits: 0,
    });
    this.#unended.add(row.id);
    this.counts.accepted += 1;
    return { fresh: true };
  }

  #claim(known: SearchRow | undefined, epoch: number, atMs: number, node: string): boolean {
    if (known === undefined || known.ended_ms !== null || known.epoch !== epoch) return false;
    known.epoch += 1;
    if (known.epoch > 1) this.counts.moved += 1;
    known.state = 'running';
    known.node = node;
    known.started_ms ??= atMs;
    return true;
  }

  #append(known: SearchRow | undefined, entry: EntryRow, node: string): AppendResult {
    if (known?.node !== node || known.epoch !== entry.epoch) return 'lost';
    const log = this.events.get(known.id) ?? [];
    if (known.ended_ms !== null || entry.sequence !== log.length) return 'lost';
    log.push(entry);
    this.events.set(known.id, log);
    this.counts.events += 1;
    this.counts.bytes += entry.body.length + (entry.texts?.length ?? 0);
    if (entry.body.includes('"type":"exited"')) this.#exited(known);
    return 'stored';
  }

  #exited(known: SearchRow): void {
    known.exits += 1;
    if (known.exits === 1) this.onExited(known);
    else this.counts.doubled += 1;
  }

  #finish(known: SearchRow, row: JournalWrite['row']): boolean {
    if (known.epoch !== row.epoch || known.ended_ms !== null) return false;
    const last = (this.events.get(known.id)?.length ?? 0) - 1;
    if (row.last !== null && row.last !== last) return false;
    known.state = String(row.state);
    known.ended_ms = Number(row.ended_ms);
    known.outcome = row.outcome as string | null;
    known.texts = row.texts as string | null;
    this.counts.ended += 1;
    this.#unended.delete(known.id);
    this.onEnded(known);
    this.#forgetOld({ id: known.id, endedMs: this.#time.nowMs });
    return true;
  }

  #forgetOld(ended: EndedSearch): void {
    this.#withLog.push(ended);
    this.#withRow.push(ended);
    for (const { id } of takeUntil(this.#withLog, ended.endedMs - logKeptMs)) this.events.delete(id);
    for (const { id } of takeUntil(this.#withRow, ended.endedMs - keptMs)) this.rows.delete(id);
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

  // ---- who lives -----------------------------------------------------------------------------------------------------

  living(): string[] {
    const { nowMs } = this.#time;
    return [...this.nodes].filter(([, { seenMs }]) => seenMs + silentMs > nowMs).map(([node]) => node);
  }

  /** Searches without an end whose nodes are not among these. */
  deserted(living: readonly string[]): SearchRow[] {
    return this.unendedRows().filter(({ node }) => !living.includes(node));
  }

  unendedRows(): SearchRow[] {
    return [...this.#unended].map((id) => this.rows.get(id)!);
  }
}

function takeUntil(searches: EndedSearch[], untilMs: number): EndedSearch[] {
  let count = 0;
  while (count < searches.length && searches[count]!.endedMs <= untilMs) count += 1;
  return searches.splice(0, count);
}
