// Runs one batch of writes on one connection. A single statement is its own transaction; several share one. A write that changes nothing is
// looked up before it counts as refused: an earlier try may have been committed. Entries, ends and acceptances are known by content, but a
// claim only by its taker's name: only an unsure claim is looked up, so that no process hears twice that it has a search.

import type { Acceptance, AppendResult } from '@coppice/core/journal';
import type { LogFormats } from '@coppice/core/log';
import type { Client, QueryResult } from 'pg';
import { arrangeBatch, type JournalWrite, type Stage, type WriteResult, writeKinds } from './batch.ts';
import type { PostgresStatements } from './statements.ts';

export interface BatchOptions {
  readonly statements: PostgresStatements;
  /** Name of this process, stored with its claims. */
  readonly node: string;
  readonly formats: LogFormats;
  /** A search's texts are erased when it ends. */
  readonly erasesTexts: boolean;
}

type StatementName = keyof PostgresStatements;
type Results<Write> = Map<Write, WriteResult>;

export class BatchRun<Write extends JournalWrite> {
  readonly #client: Client;
  readonly #options: BatchOptions;
  readonly #isUnsure: (write: Write) => boolean;
  readonly #results: Results<Write> = new Map();
  /** Until then, losing the connection rolls everything back. */
  #isCommitSent = false;

  /** `isUnsure`: an earlier try may have applied the write. */
  constructor(client: Client, options: BatchOptions, isUnsure: (write: Write) => boolean) {
    this.#client = client;
    this.#options = options;
    this.#isUnsure = isUnsure;
  }

  /** True if the batch may have been committed although `run` threw. */
  get mayBeCommitted(): boolean {
    return this.#isCommitSent;
  }

  /** Results by write. Throws if nothing was committed, or if that is unknown. */
  async run(writes: readonly Write[]): Promise<Results<Write>> {
    const stages = arrangeBatch(writes);
    const isOne = !this.#options.erasesTexts && stages.length === 1 && countStatements(stages[0]) === 1;
    if (isOne) {
      this.#isCommitSent = true;
      await this.#runStages(stages);
    } else await this.#inTransaction(() => this.#runStages(stages));
    return this.#results;
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.#client.query('begin');
    try {
      await work();
      this.#isCommitSent = true;
      await this.#client.query('commit');
    } catch (error) {
      await this.#client.query('rollback').catch(() => {});
      throw error;
    }
  }

  async #runStages(stages: readonly Stage<Write>[]): Promise<void> {
    for (const stage of stages) {
      for (const kind of writeKinds) {
        const writes = stage.get(kind);
        if (writes !== undefined) await this.#runGroup(kind, writes);
      }
    }
  }

  async #runGroup(kind: Write['kind'], writes: readonly Write[]): Promise<void> {
    if (kind === 'accept') return this.#accept(writes);
    if (kind === 'append') return this.#append(writes);
    if (kind === 'flush') return this.#record(writes, () => true);
    const changed = new Set(await this.#change(kind, writes));
    if (kind === 'finish' && this.#options.erasesTexts && changed.size > 0)
      await this.#query('eraseTexts', [[...changed]]);
    this.#record(writes, ({ search }) => changed.has(search));
  }

  async #change(kind: Write['kind'], writes: readonly Write[]): Promise<string[]> {
    const { node, erasesTexts, formats } = this.#options;
    if (kind === 'cancel' || kind === 'outlive') return this.#ids(kind, [writes.map(({ search }) => search)]);
    if (kind === 'begin') return this.#ids('begin', [rowsOf(writes), node]);
    if (kind === 'retract') return this.#ids('retract', [rowsOf(writes), node, formats.writes]);
    if (kind === 'claim') {
      const done = await this.#ids('claim', [rowsOf(writes), node, formats.writes, formats.reads]);
      const unsure = writes.filter((each) => this.#isUnsure(each) && !done.includes(each.search));
      if (unsure.length === 0) return done;
      return [...done, ...(await this.#ids('isClaimed', [rowsOf(unsure), node]))];
    }
    const done = await this.#ids('finish', [rowsOf(writes), erasesTexts, node]);
    const left = writes.filter(({ search }) => !done.includes(search));
    return left.length === 0 ? done : [...done, ...(await this.#ids('isFinished', [rowsOf(left), node]))];
  }

  async #ids(name: StatementName, values: unknown[]): Promise<string[]> {
    const { rows } = await this.#query(name, values);
    return rows.map(({ id }) => String(id));
  }

  /** Sends a named statement: the connection plans it a few times, then keeps the plan, which costs more than a small batch. */
  #query(name: StatementName, values: unknown[]): Promise<QueryResult> {
    return this.#client.query({ name, text: this.#options.statements[name], values });
  }

  async #accept(writes: readonly Write[]): Promise<void> {
    const { node, formats } = this.#options;
    const rows = writes.map(({ row }, place) => ({ place, ...row }));
    const fresh = new Set(await this.#ids('accept', [JSON.stringify(rows), node, formats.writes]));
    const refused = writes.filter(({ search }) => !fresh.has(search));
    const taken = refused.length === 0 ? [] : await this.#findTaken(refused);
    this.#record(writes, (write) => (fresh.has(write.search) ? { fresh: true } : toAcceptance(write, taken)));
  }

  async #findTaken(writes: readonly Write[]): Promise<readonly TakenRow[]> {
    return (await this.#query('findIdempotent', [rowsOf(writes)])).rows;
  }

  async #append(writes: readonly Write[]): Promise<void> {
    const { node } = this.#options;
    const stored = await this.#query('append', [rowsOf(writes), node]);
    const counts = new Map(stored.rows.map(({ id, count }) => [String(id), Number(count)]));
    const wanted = Map.groupBy(writes, ({ search }) => search);
    const short = [...wanted.values()].filter((group) => counts.get(group[0]?.search ?? '') !== group.length).flat();
    this.#record(writes, () => 'stored');
    if (short.length === 0) return;
    const found = await this.#query('readEntries', [rowsOf(short), node]);
    const results = new Map(found.rows.map((row) => [`${row.id} ${row.sequence}`, resultOf(row)]));
    this.#record(short, ({ search, row }) => results.get(`${search} ${row.sequence}`) ?? 'lost');
  }

  #record(writes: readonly Write[], resultOf: (write: Write) => WriteResult): void {
    for (const write of writes) this.#results.set(write, resultOf(write));
  }
}

interface TakenRow {
  readonly id: string;
  readonly owner: string;
  readonly idempotency: string | null;
  readonly fingerprint: string;
}

/** A row with the same id means that an earlier try was accepted. */
function toAcceptance({ search, row }: JournalWrite, taken: readonly TakenRow[]): Acceptance {
  if (taken.some(({ id }) => id === search)) return { fresh: true };
  const other = taken.find(({ owner, idempotency }) => owner === row.owner && idempotency === row.idempotency);
  return { fresh: false, id: other?.id ?? '', fingerprint: other?.fingerprint ?? '' };
}

/** Compares the write with the stored entry of its sequence, which another process may have written. */
function resultOf({ mine, same }: { readonly mine?: boolean; readonly same?: boolean }): AppendResult {
  if (mine !== true) return 'lost';
  return same === true ? 'stored' : 'differs';
}

function rowsOf(writes: readonly JournalWrite[]): string {
  return JSON.stringify(writes.map(({ row }) => row));
}

function countStatements(stage: Stage<JournalWrite> | undefined): number {
  return [...(stage?.keys() ?? [])].filter((kind) => kind !== 'flush').length;
}
