// Documents in the journal's PostgreSQL. Each write is its own transaction. After a lost answer the write is looked up, and repeated if it was
// not committed, so that no document exists that its client does not know.

import { setTimeout as delay } from 'node:timers/promises';
import {
  type DocumentChange,
  type DocumentKind,
  type DocumentPart,
  type DocumentQuery,
  type Documents,
  type KeptDocument,
  type NewDocument,
  type SqlRow,
  soundDocuments,
  storable,
  toDocument,
} from '@coppice/core/journal';
import { StatementFault } from './connection.ts';
import { boundedPage } from './statements.ts';

/** Longest time that a client waits for the result of its write. */
const patienceMs = 15_000;
const retryMs = 250;

type SqlRows = readonly SqlRow[];

/** Runs one statement on the journal's connections. */
type RunStatement = (
  sql: string,
  values: unknown[],
) => Promise<{ readonly rows: SqlRows; readonly rowCount: number | null }>;

function statements(schema: string) {
  const [documents, parts] = [`${schema}.documents`, `${schema}.parts`];
  return {
    add: `with made as (
            insert into ${documents} (id, kind, owner, created_ms, open, expires_ms, facts, revision)
            values ($1, $2, $3, $4, $5, $6, $7, 0) on conflict (id) do nothing returning id)
          insert into ${parts} (document, part, text)
          select made.id, t.place - 1, t.text from made, unnest($8::text[]) with ordinality as t(text, place)`,
    find: `select * from ${documents} where id = $1`,
    list: `select * from ${documents} where kind = $1 and ($2::text is null or owner = $2) and id < $3
           order by id desc limit $4`,
    opened: `select * from ${documents} where kind = $1 and open = 1 order by id`,
    change: `update ${documents} set open = $1, expires_ms = $2, facts = $3, revision = revision + 1
             where id = $4 and revision = $5`,
    addPart: `insert into ${parts} (document, part, text)
              select id, $2, $3 from ${documents} where id = $1 for share on conflict do nothing`,
    findPart: `select text from ${parts} where document = $1 and part = $2`,
    parts: boundedPage(
      `select part, text from ${parts} where document = $1 and part > $2 order by part limit $3`,
      'part',
      'length(text)',
    ),
    partNumbers: `select part from ${parts} where document = $1 order by part`,
    remove: `with texts as (delete from ${parts} where document = $1) delete from ${documents} where id = $1`,
    expire: `with gone as (select id from ${documents} where open = 0 and expires_ms < $1
               order by expires_ms limit $2 for update skip locked),
             texts as (delete from ${parts} where document in (select id from gone))
             delete from ${documents} where id in (select id from gone)`,
  } as const;
}

export class PostgresDocuments implements Documents {
  readonly #run: RunStatement;
  readonly #sql: ReturnType<typeof statements>;
  readonly #onDamage: (message: string) => void;

  /** `onDamage` gets one line about each row that cannot be read. */
  constructor(schema: string, run: RunStatement, onDamage: (message: string) => void) {
    this.#run = run;
    this.#onDamage = onDamage;
    this.#sql = statements(schema);
  }

  async add(document: NewDocument, parts: readonly string[] = []): Promise<void> {
    const { id, kind, owner, createdMs, open, expiresMs, facts } = document;
    const values = [id, kind, owner, createdMs, open ? 1 : 0, expiresMs ?? null, JSON.stringify(facts), parts];
    const isAdded = async () => (await this.find(id)) !== undefined;
    await this.#settle(() => this.#run(this.#sql.add, values), isAdded);
  }

  async find(id: string): Promise<KeptDocument | undefined> {
    const [row] = await this.#rows(this.#sql.find, [storable(id)]);
    return row === undefined ? undefined : toDocument(row);
  }

  async list({ kind, owner, before = '~', limit }: DocumentQuery): Promise<KeptDocument[]> {
    const rows = await this.#rows(this.#sql.list, [kind, owner ?? null, storable(before), limit]);
    return soundDocuments(rows, this.#onDamage);
  }

  async opened(kind: DocumentKind): Promise<KeptDocument[]> {
    return soundDocuments(await this.#rows(this.#sql.opened, [kind]), this.#onDamage);
  }

  async change(id: string, revision: number, { facts, open, expiresMs }: DocumentChange): Promise<boolean> {
    const written = JSON.stringify(facts);
    const values = [open ? 1 : 0, expiresMs ?? null, written, id, revision];
    const isChanged = async () => {
      const [row] = await this.#rows(this.#sql.find, [id]);
      return row?.revision === revision + 1 && row.facts === written;
    };
    return this.#settle(() => this.#changed(this.#sql.change, values), isChanged);
  }

  async addPart(id: string, part: number, text: string): Promise<boolean> {
    const isAdded = async () => (await this.#rows(this.#sql.findPart, [id, part]))[0]?.text === text;
    return this.#settle(() => this.#changed(this.#sql.addPart, [id, part, text]), isAdded);
  }

  async parts(id: string, after: number, limit: number): Promise<DocumentPart[]> {
    const rows = await this.#rows(this.#sql.parts, [id, after, limit]);
    return rows.map(({ part, text }) => ({ part: Number(part), text: String(text) }));
  }

  async partNumbers(id: string): Promise<number[]> {
    return (await this.#rows(this.#sql.partNumbers, [id])).map(({ part }) => Number(part));
  }

  async remove(id: string): Promise<boolean> {
    const isRemoved = async () => (await this.find(id)) === undefined;
    return this.#settle(() => this.#changed(this.#sql.remove, [id]), isRemoved);
  }

  async expire(beforeMs: number, atMost: number): Promise<number> {
    return (await this.#run(this.#sql.expire, [beforeMs, atMost])).rowCount ?? 0;
  }

  /** `wasMade`: true if the tables hold the result of an earlier try. */
  async #settle<Result>(write: () => Promise<Result>, wasMade: () => Promise<boolean>): Promise<Result | true> {
    const untilMs = performance.now() + patienceMs;
    for (let isUnsure = false; ; ) {
      try {
        if (isUnsure && (await wasMade())) return true;
        const result = await write();
        // An earlier try may have been committed just before this one.
        return isUnsure && result === false && (await wasMade()) ? true : result;
      } catch (error) {
        if (!(error instanceof StatementFault) || performance.now() > untilMs) throw error;
        isUnsure ||= error.isUnsure;
        if (!isUnsure) throw error;
      }
      await delay(retryMs);
    }
  }

  async #rows(sql: string, values: unknown[]): Promise<SqlRows> {
    return (await this.#run(sql, values)).rows;
  }

  async #changed(sql: string, values: unknown[]): Promise<boolean> {
    return ((await this.#run(sql, values)).rowCount ?? 0) > 0;
  }
}
