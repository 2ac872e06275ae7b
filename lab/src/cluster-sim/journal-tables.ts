// The journal's tables as in PostgreSQL, in memory and in virtual time: searches with their epochs, their logs, and the nodes' beats. Writes
// are fenced as in packages/postgres/src/journal/statements.ts: a log takes entries only from the node that claimed it last, in order, and a repeated
// write gets the answer of the first. The caller decides when a call arrives.

import type { Acceptance, AppendResult } from '@coppice/core/journal';
import type { PostgresJournal } from '@coppice/postgres/journal';

type JournalStore = ReturnType<ConstructorParameters<typeof PostgresJournal>[2]>['store'];
type WrittenRow = Parameters<JournalStore['commit']>[0][number];

/** The columns, and the fields of `about` that nodes query. */
export interface SearchRow {
  readonly id: string;
  readonly owner: string;
  idempotency: string | null;
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
  runs: number;
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

interface SignOfLife {
  readonly seenMs: number;
  readonly servers: readonly string[];
}

/** After so long without a sign of life a node counts as dead. */
const silentMs = 30_000;

export class JournalTables {
  readonly rows = new Map<string, SearchRow>();
  readonly events = new Map<string, EntryRow[]>();
  readonly nodes = new Map<string, SignOfLife>();
  readonly #time: { readonly nowMs: number };
  readonly #unended = new Set<string>();

  constructor(time: { readonly nowMs: number }) {
    this.#time = time;
  }

  // Told of what has changed.
  protected accepted(_row: SearchRow): void {}
  protected claimed(_row: SearchRow): void {}
  protected stored(_row: SearchRow, _entry: EntryRow): void {}
  protected ended(_row: SearchRow): void {}

  /** One write of a commit. `isUnsure`: an earlier try of it may have been applied. */
  apply({ kind, search, row }: WrittenRow, node: string, isUnsure = false): unknown {
    const known = this.rows.get(search);
    switch (kind) {
      case 'accept':
        return this.#accept(row as unknown as SearchRow, node);
      case 'claim':
        if (this.#claim(known, Number(row.epoch), Number(row.at_ms), node)) return true;
        return isUnsure && known?.epoch === Number(row.epoch) + 1 && known.node === node;
      case 'begin':
        if (known?.node !== node || known.epoch !== row.epoch || known.ended_ms !== null) return false;
        known.runs = Number(row.runs);
        return true;
      case 'outlive':
        if (known === undefined || known.ended_ms !== null) return false;
        known.runs = Math.max(0, known.runs - 1);
        return true;
      case 'append':
        return this.#append(known, row as unknown as EntryRow, node);
      case 'finish':
        return known?.node === node && this.#finish(known, row);
      case 'cancel':
        if (known === undefined || known.ended_ms !== null) return false;
        known.cancel_requested = 1;
        return true;
      case 'retract':
        return this.#retract(known ?? fresh(row as unknown as SearchRow, node));
      case 'flush':
        return true;
    }
  }

  #accept(row: SearchRow, node: string): Acceptance {
    if (this.rows.has(row.id)) return { fresh: true };
    const earlier = row.idempotency === null ? undefined : this.#withKey(row);
    if (earlier !== undefined) return { fresh: false, id: earlier.id, fingerprint: earlier.fingerprint };
    const made = fresh(row, node);
    this.rows.set(row.id, made);
    this.#unended.add(row.id);
    this.accepted(made);
    return { fresh: true };
  }

  #withKey({ owner, idempotency }: SearchRow): SearchRow | undefined {
    return [...this.rows.values()].find((each) => each.idempotency === idempotency && each.owner === owner);
  }

  #claim(known: SearchRow | undefined, epoch: number, atMs: number, node: string): boolean {
    if (known === undefined || known.ended_ms !== null || known.epoch !== epoch) return false;
    known.epoch += 1;
    known.state = 'running';
    known.node = node;
    known.started_ms ??= atMs;
    this.claimed(known);
    return true;
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
    this.stored(known, entry);
    return 'stored';
  }

  #finish(known: SearchRow, row: WrittenRow['row']): boolean {
    if (known.epoch !== row.epoch) return false;
    if (known.ended_ms !== null)
      return known.state === row.state && known.ended_ms === row.ended_ms && known.outcome === row.outcome;
    const last = (this.events.get(known.id)?.length ?? 0) - 1;
    if (row.last !== null && row.last !== last) return false;
    known.state = String(row.state);
    known.ended_ms = Number(row.ended_ms);
    known.outcome = row.outcome as string | null;
    known.texts = row.texts as string | null;
    this.#unended.delete(known.id);
    this.ended(known);
    return true;
  }

  #retract(gone: SearchRow): boolean {
    if (gone.ended_ms !== null) return false;
    gone.cancel_requested = 1;
    if (gone.epoch === 0) {
      gone.state = 'cancelled';
      gone.ended_ms = gone.created_ms;
      gone.idempotency = null;
      this.#unended.delete(gone.id);
    }
    this.rows.set(gone.id, gone);
    return true;
  }

  get unended(): number {
    return this.#unended.size;
  }

  unendedRows(): SearchRow[] {
    return [...this.#unended].map((id) => this.rows.get(id)!);
  }

  living(): string[] {
    const { nowMs } = this.#time;
    return [...this.nodes].filter(([, { seenMs }]) => seenMs + silentMs > nowMs).map(([node]) => node);
  }

  /** Searches without an end whose nodes are not among these. */
  deserted(living: readonly string[]): SearchRow[] {
    return this.unendedRows().filter(({ node }) => !living.includes(node));
  }
}

function fresh(row: SearchRow, node: string): SearchRow {
  const about = JSON.parse(row.about) as { readonly home?: string; readonly model: string; readonly turn?: number };
  const { home, model, turn = 0 } = about;
  const blank = { started_ms: null, ended_ms: null, outcome: null, texts: null };
  return { ...row, ...blank, home, model, turn, node, state: 'queued', epoch: 0, runs: 0, cancel_requested: 0 };
}
