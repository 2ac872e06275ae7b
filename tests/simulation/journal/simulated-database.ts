// A database as PostgreSQL would be, in virtual time: the tables of the journal, the queue between nodes and the list of living
// nodes, each change atomic. Every node reaches it by a link of its own, which breaks before, during and after a commit, refuses,
// hangs, and delivers late. What the tables hold is the truth that a storm is checked against.

import type { VirtualTime } from '../../../lab/src/cluster-sim/virtual-time.ts';
import type { Random } from '../../../src/base/random.ts';
import type { Acceptance, AppendResult } from '../../../src/journal/journal.ts';
import { type Store, StoreRefusal } from '../../../src/journal/journal-writer.ts';
import type { JournalWrite } from '../../../src/journal/postgres/batch.ts';

export interface SearchRow {
  readonly id: string;
  readonly owner: string;
  idempotency: string | null;
  readonly fingerprint: string;
  readonly background: number;
  readonly created_ms: number;
  readonly about: string;
  title: string | null;
  request: string | null;
  state: string;
  epoch: number;
  cancel_requested: number;
  node: string;
  started_ms: number | null;
  ended_ms: number | null;
  outcome: string | null;
  texts: string | null;
}

export interface EntryRow {
  readonly sequence: number;
  readonly epoch: number;
  readonly at_ms: number;
  readonly body: string;
  readonly texts: string | null;
}

interface Lease {
  readonly search: string;
  readonly model: string;
  readonly turn: number;
  /** Undefined while it waits to be taken. */
  taken: { node: string; beatMs: number } | undefined;
}

/** How often each kind of trouble meets a call, from 0 to 1. */
export interface Weather {
  /** The connection breaks before the call is applied. */
  readonly broken: number;
  /** It is applied, and the connection breaks before the answer comes. */
  readonly lostAck: number;
  /** No answer comes; it is applied late, or never. */
  readonly hung: number;
}

export const calm: Weather = { broken: 0, lostAck: 0, hung: 0 };

/** A node's way to the database. */
export interface Link {
  weather: Weather;
  /** False where connections are refused. */
  isUp: boolean;
  /** Counts how often it was cut: what was under way then gets no answer. */
  cuts: number;
}

/** Runs callbacks of a node: late where it is frozen, never where it is dead. */
export interface NodeTimers {
  after(delayMs: number, callback: () => void): () => void;
}

const latencyMs = 2;
const timeoutMs = 12_000;
const latestMs = 30_000;
const leaseMs = 10_000;
const silentMs = 30_000;

/** No Error: a trace of each would take longer than the rest of a storm. */
interface Broken {
  readonly message: string;
  readonly isUnsure: boolean;
}

export class SimulatedDatabase {
  readonly searches = new Map<string, SearchRow>();
  readonly events = new Map<string, EntryRow[]>();
  readonly leases = new Map<string, Lease>();
  readonly nodes = new Map<string, { seenMs: number; report: unknown }>();
  /** Calls whose callers have given up, and which will be applied. */
  late = 0;
  readonly #time: VirtualTime;
  readonly #random: Random;

  readonly #trace: (what: string) => void;

  constructor(time: VirtualTime, random: Random, trace: (what: string) => void) {
    this.#time = time;
    this.#random = random;
    this.#trace = trace;
  }

  /** One call over a link: applied at the server's own time, whatever becomes of the caller. */
  call<Result>(link: Link, timers: NodeTimers, apply: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!link.isUp)
        return void timers.after(latencyMs, () => reject({ message: 'connection refused', isUnsure: false }));
      const { cuts, weather } = link;
      const fate = this.#fate(weather);
      if (fate === 'broken')
        return void timers.after(latencyMs, () => reject({ message: 'connection reset', isUnsure: true }));
      if (fate === 'hung') {
        if (this.#random.chance(0.7)) this.#applyLate(apply);
        return void timers.after(timeoutMs, () => reject({ message: 'timeout', isUnsure: true }));
      }
      this.#time.after(latencyMs, () => {
        const result = apply();
        timers.after(latencyMs, () => {
          if (fate === 'lostAck' || link.cuts !== cuts) reject({ message: 'connection terminated', isUnsure: true });
          else resolve(result);
        });
      });
    });
  }

  #applyLate(apply: () => unknown): void {
    this.late += 1;
    this.#time.after(this.#random.uniform() * latestMs, () => {
      this.late -= 1;
      apply();
    });
  }

  #fate({ broken, lostAck, hung }: Weather): 'broken' | 'lostAck' | 'hung' | undefined {
    const roll = this.#random.uniform();
    if (roll < broken) return 'broken';
    if (roll < broken + lostAck) return 'lostAck';
    return roll < broken + lostAck + hung ? 'hung' : undefined;
  }

  // ---- the journal -------------------------------------------------------------------------------------------------

  store(link: Link, timers: NodeTimers, node: string): Store<JournalWrite> & { close(): Promise<void> } {
    const guarded = async <Result>(apply: () => Result): Promise<Result> => {
      try {
        return await this.call(link, timers, apply);
      } catch (error) {
        const { message, isUnsure } = error as Broken;
        throw new StoreRefusal(message, 'store', { isUnsure });
      }
    };
    return {
      isLocal: false,
      commit: (writes, isUnsure) =>
        guarded(() =>
          writes.map((each) => {
            const result = this.#apply(each, isUnsure(each), node);
            this.#trace(`${node} ${each.kind} ${each.search} ${each.row.sequence ?? ''}: ${JSON.stringify(result)}`);
            return result;
          }),
        ),
      probe: () => guarded(() => {}),
      close: async () => {},
    };
  }

  #apply({ kind, search, row }: JournalWrite, isUnsure: boolean, node: string): unknown {
    const known = this.searches.get(search);
    switch (kind) {
      case 'accept':
        return this.#accept(row as unknown as SearchRow, node);
      case 'claim':
        if (known !== undefined && known.ended_ms === null && known.epoch === row.epoch) {
          known.epoch += 1;
          known.state = 'running';
          known.node = node;
          known.started_ms ??= Number(row.at_ms);
          return true;
        }
        return isUnsure && known?.epoch === Number(row.epoch) + 1 && known.node === node;
      case 'append':
        return this.#append(known, row as unknown as EntryRow, node);
      case 'finish':
        return known?.node === node && this.#finish(known, row);
      case 'cancel':
        if (known === undefined || known.ended_ms !== null) return false;
        known.cancel_requested = 1;
        return true;
      case 'retract':
        return this.#retract(known, row as unknown as SearchRow, node);
      case 'flush':
        return true;
    }
  }

  #accept(row: SearchRow, node: string): Acceptance {
    if (this.searches.has(row.id)) return { fresh: true };
    const taken = [...this.searches.values()].find(
      ({ owner, idempotency }) => idempotency !== null && idempotency === row.idempotency && owner === row.owner,
    );
    if (taken !== undefined) return { fresh: false, id: taken.id, fingerprint: taken.fingerprint };
    this.searches.set(row.id, fresh(row, node));
    return { fresh: true };
  }

  #append(known: SearchRow | undefined, entry: EntryRow, node: string): AppendResult {
    if (known?.node !== node || known.epoch !== entry.epoch) return 'lost';
    const log = this.events.get(known.id) ?? [];
    const present = log[entry.sequence];
    if (present !== undefined) {
      if (present.epoch !== entry.epoch) return 'lost';
      return present.body === entry.body ? 'stored' : 'differs';
    }
    if (known.ended_ms !== null || entry.sequence !== log.length) return 'lost';
    log.push(entry);
    this.events.set(known.id, log);
    return 'stored';
  }

  #finish(known: SearchRow | undefined, row: JournalWrite['row']): boolean {
    if (known === undefined || known.epoch !== row.epoch) return false;
    if (known.ended_ms !== null)
      return known.state === row.state && known.ended_ms === row.ended_ms && known.outcome === row.outcome;
    const last = (this.events.get(known.id)?.length ?? 0) - 1;
    if (row.last !== null && row.last !== last) return false;
    known.state = String(row.state);
    known.ended_ms = Number(row.ended_ms);
    known.outcome = row.outcome as string | null;
    known.texts = row.texts as string | null;
    return true;
  }

  #retract(known: SearchRow | undefined, row: SearchRow, node: string): boolean {
    const gone = known ?? fresh(row, node);
    if (gone.ended_ms !== null) return false;
    gone.cancel_requested = 1;
    if (gone.epoch === 0) {
      gone.state = 'cancelled';
      gone.ended_ms = gone.created_ms;
      gone.idempotency = null;
    }
    this.searches.set(gone.id, gone);
    return true;
  }

  // ---- the queue between nodes, and who lives ------------------------------------------------------------------------

  offer(search: string, model: string, turn: number, node?: string): void {
    const taken = node === undefined ? undefined : { node, beatMs: this.#time.nowMs };
    if (!this.leases.has(search)) this.leases.set(search, { search, model, turn, taken });
  }

  take(model: string, node: string): string | undefined {
    const nowMs = this.#time.nowMs;
    const free = [...this.leases.values()]
      .filter((each) => each.model === model)
      .filter(({ taken }) => taken === undefined || taken.beatMs + leaseMs < nowMs)
      .sort((a, b) => a.turn - b.turn)[0];
    if (free === undefined) return undefined;
    free.taken = { node, beatMs: nowMs };
    return free.search;
  }

  touch(ids: readonly string[]): void {
    for (const id of ids) {
      const taken = this.leases.get(id)?.taken;
      if (taken !== undefined) taken.beatMs = this.#time.nowMs;
    }
  }

  giveBack(ids: readonly string[]): void {
    for (const id of ids) {
      const lease = this.leases.get(id);
      if (lease !== undefined) lease.taken = undefined;
    }
  }

  living(): string[] {
    const nowMs = this.#time.nowMs;
    return [...this.nodes].filter(([, { seenMs }]) => seenMs + silentMs > nowMs).map(([node]) => node);
  }

  /** Searches without an end whose nodes are not among these. */
  deserted(living: readonly string[]): SearchRow[] {
    return [...this.searches.values()].filter(({ ended_ms, node }) => ended_ms === null && !living.includes(node));
  }
}

function fresh(row: SearchRow, node: string): SearchRow {
  const blank = { started_ms: null, ended_ms: null, outcome: null, texts: null };
  return { ...row, ...blank, state: 'queued', epoch: 0, cancel_requested: 0, node };
}

/** As the tables' columns hold it. */
export function aboutOf({ about }: SearchRow): {
  readonly home?: string;
  readonly model: string;
  readonly turn?: number;
} {
  return JSON.parse(about) as { readonly model: string };
}
