// A database as PostgreSQL would be, in virtual time: the tables of the journal and the queue between nodes, each change atomic. Every node reaches it by a link of its own, which breaks before, during and after a commit, refuses,
// hangs, and delivers late. What the tables hold is the truth that a storm is checked against.

import { JournalTables, type SearchRow } from '../../../lab/src/cluster-sim/journal-tables.ts';
import type { VirtualTime } from '../../../lab/src/cluster-sim/virtual-time.ts';
import type { Random } from '../../../packages/core/src/base/random.ts';
import { type Store, StoreRefusal } from '../../../packages/core/src/journal/journal-writer.ts';
import type { JournalWrite } from '../../../packages/postgres/src/journal/batch.ts';

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

/** No Error: a trace of each would take longer than the rest of a storm. */
interface Broken {
  readonly message: string;
  readonly isUnsure: boolean;
}

export class SimulatedDatabase extends JournalTables {
  readonly leases = new Map<string, Lease>();
  /** The nodes that claimed a search, in order. */
  readonly takers = new Map<string, string[]>();
  /** Calls whose callers have given up, and which will be applied. */
  late = 0;
  readonly #time: VirtualTime;
  readonly #random: Random;

  readonly #trace: (what: string) => void;

  constructor(time: VirtualTime, random: Random, trace: (what: string) => void) {
    super(time);
    this.#time = time;
    this.#random = random;
    this.#trace = trace;
  }

  protected override claimed({ id, node }: SearchRow): void {
    this.takers.set(id, [...(this.takers.get(id) ?? []), node]);
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
            const result = this.apply(each, node, isUnsure(each));
            this.#trace(`${node} ${each.kind} ${each.search} ${each.row.sequence ?? ''}: ${JSON.stringify(result)}`);
            return result;
          }),
        ),
      probe: () => guarded(() => {}),
      close: async () => {},
    };
  }

  // ---- the queue between nodes ------------------------------------------------------------------------------------

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
}
