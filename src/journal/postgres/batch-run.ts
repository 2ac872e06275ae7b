// Runs one batch of writes on one connection. A single statement is its own transaction; several share one. Where an
// earlier try of the batch may have been committed without our hearing of it (`uncertain`), a write that changes nothing
// is looked up before it counts as refused: what we wrote ourselves under the same epoch was done, not lost.

import type { Client } from 'pg';
import type { LogFormats } from '../../log/format.ts';
import type { Acceptance } from '../journal.ts';
import { arrangeBatch, type JournalWrite, type Stage, type WriteResult, writeKinds } from './batch.ts';
import type { PostgresStatements } from './statements.ts';

export interface BatchOptions {
  readonly statements: PostgresStatements;
  /** Name of this process, as claims record it. */
  readonly node: string;
  readonly formats: LogFormats;
  /** Texts of a search go when it ends. */
  readonly erasesTexts: boolean;
}

type Results<Write> = Map<Write, WriteResult>;

export class BatchRun<Write extends JournalWrite> {
  readonly #client: Client;
  readonly #options: BatchOptions;
  readonly #uncertain: boolean;
  readonly #results: Results<Write> = new Map();

  constructor(client: Client, options: BatchOptions, uncertain: boolean) {
    this.#client = client;
    this.#options = options;
    this.#uncertain = uncertain;
  }

  /** What became of each write; throws where nothing of it was committed, or nobody knows. */
  async run(writes: readonly Write[]): Promise<Results<Write>> {
    const stages = arrangeBatch(writes);
    const isOne = !this.#options.erasesTexts && stages.length === 1 && countStatements(stages[0]) === 1;
    if (isOne) await this.#runStages(stages);
    else await this.#inTransaction(() => this.#runStages(stages));
    return this.#results;
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.#client.query('begin');
    try {
      await work();
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
      await this.#client.query(this.#options.statements.eraseTexts, [[...changed]]);
    this.#record(writes, ({ search }) => changed.has(search));
  }

  async #change(kind: Write['kind'], writes: readonly Write[]): Promise<string[]> {
    const { statements, node, erasesTexts, formats } = this.#options;
    const rows = JSON.stringify(writes.map(({ row }) => row));
    if (kind === 'cancel') return this.#ids(statements.cancel, [writes.map(({ search }) => search)]);
    if (kind === 'claim') {
      const done = await this.#ids(statements.claim, [rows, node, formats.writes, formats.reads]);
      return this.#uncertain ? [...done, ...(await this.#ids(statements.isClaimed, [rows, node]))] : done;
    }
    const done = await this.#ids(statements.finish, [rows, erasesTexts]);
    return this.#uncertain ? [...done, ...(await this.#ids(statements.isFinished, [rows]))] : done;
  }

  async #ids(sql: string, values: unknown[]): Promise<string[]> {
    const { rows } = await this.#client.query(sql, values);
    return rows.map(({ id }) => String(id));
  }

  async #accept(writes: readonly Write[]): Promise<void> {
    const { statements, node, formats } = this.#options;
    const rows = writes.map(({ row }, place) => ({ place, ...row }));
    const fresh = new Set(await this.#ids(statements.accept, [JSON.stringify(rows), node, formats.writes]));
    const refused = writes.filter(({ search }) => !fresh.has(search));
    const taken = refused.length === 0 ? [] : await this.#findTaken(refused);
    this.#record(writes, (write) => (fresh.has(write.search) ? { fresh: true } : toAcceptance(write, taken)));
  }

  async #findTaken(writes: readonly Write[]): Promise<readonly TakenRow[]> {
    const rows = JSON.stringify(writes.map(({ row }) => row));
    return (await this.#client.query(this.#options.statements.findIdempotent, [rows])).rows;
  }

  async #append(writes: readonly Write[]): Promise<void> {
    const { statements } = this.#options;
    const rows = JSON.stringify(writes.map(({ row }) => row));
    const wanted = countBySearch(writes);
    const stored = await this.#counts(statements.append, rows);
    const isShort = [...wanted].some(([search, count]) => stored.get(search) !== count);
    const known = isShort && this.#uncertain ? await this.#counts(statements.isAppended, rows) : stored;
    this.#record(writes, ({ search }) => [stored, known].some((each) => each.get(search) === wanted.get(search)));
  }

  async #counts(sql: string, rows: string): Promise<Map<string, number>> {
    const result = await this.#client.query(sql, [rows]);
    return new Map(result.rows.map(({ id, count }) => [String(id), Number(count)]));
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

/** Found under its own id, it was accepted by a try that we did not hear of. */
function toAcceptance({ search, row }: JournalWrite, taken: readonly TakenRow[]): Acceptance {
  if (taken.some(({ id }) => id === search)) return { fresh: true };
  const other = taken.find(({ owner, idempotency }) => owner === row.owner && idempotency === row.idempotency);
  return { fresh: false, id: other?.id ?? '', fingerprint: other?.fingerprint ?? '' };
}

function countBySearch(writes: readonly JournalWrite[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { search } of writes) counts.set(search, (counts.get(search) ?? 0) + 1);
  return counts;
}

function countStatements(stage: Stage<JournalWrite> | undefined): number {
  return [...(stage?.keys() ?? [])].filter((kind) => kind !== 'flush').length;
}
