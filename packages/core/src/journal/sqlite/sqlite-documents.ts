// Documents in the journal's SQLite file, written through the journal's queue.

import type { DatabaseSync } from 'node:sqlite';
import { nextSlice } from '../../base/slices.ts';
import type {
  DocumentChange,
  DocumentKind,
  DocumentPart,
  DocumentQuery,
  Documents,
  KeptDocument,
  NewDocument,
} from '../documents.ts';
import { type SqlRow, soundDocuments, toDocument } from '../rows.ts';
import { boundedPage, changed } from './statements.ts';

interface DocumentAccess {
  write<Result>(apply: () => Result): Promise<Result>;
  read<Result>(read: () => Result): Result;
  onDamage(message: string): void;
}

const sliceParts = 8;

const texts = {
  add: `insert into documents (id, kind, owner, created_ms, open, expires_ms, facts, revision)
        values (?, ?, ?, ?, ?, ?, ?, 0)`,
  find: 'select * from documents where id = ?',
  list: `select * from documents where kind = ?1 and (?2 is null or owner = ?2) and id < ?3 order by id desc limit ?4`,
  opened: 'select * from documents where kind = ? and open = 1 order by id',
  change: `update documents set open = ?, expires_ms = ?, facts = ?, revision = revision + 1
           where id = ? and revision = ?`,
  addPart: `insert into parts (document, part, text)
            select ?1, ?2, ?3 where exists (select 1 from documents where id = ?1) on conflict do nothing`,
  putPart: 'insert or replace into parts (document, part, text) values (?, ?, ?)',
  nextWithParts: 'select min(document) as id from parts where document > ?',
  parts: 'select part, text from parts where document = ? and part > ? order by part limit ?',
  partNumbers: 'select part from parts where document = ? order by part',
  dropParts: 'delete from parts where document = ?',
  drop: 'delete from documents where id = ?',
  expired: 'select id from documents where open = 0 and expires_ms < ? order by expires_ms limit ?',
} as const;

export class SqliteDocuments implements Documents {
  readonly #access: DocumentAccess;
  readonly #sql: Readonly<Record<keyof typeof texts, ReturnType<DatabaseSync['prepare']>>>;

  constructor(database: DatabaseSync, access: DocumentAccess) {
    this.#access = access;
    const prepared = Object.entries(texts).map(([name, sql]) => [name, database.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared);
    this.#dropOrphans();
  }

  /** A crash may leave parts without their document. */
  #dropOrphans(): void {
    for (let id = ''; ; ) {
      const next = this.#sql.nextWithParts.get(id)?.id;
      if (typeof next !== 'string') return;
      if (this.#sql.find.get(next) === undefined) this.#sql.dropParts.run(next);
      id = next;
    }
  }

  /** Parts first, in slices: after a crash the document is there as a whole or not at all. */
  async add(document: NewDocument, parts: readonly string[] = []): Promise<void> {
    const { id, kind, owner, createdMs, open, expiresMs, facts } = document;
    for (let from = 0; from < parts.length; from += sliceParts) {
      const slice = parts.slice(from, from + sliceParts);
      await this.#access.write(() => {
        for (const [at, text] of slice.entries()) this.#sql.putPart.run(id, from + at, text);
      });
      await nextSlice();
    }
    await this.#access.write(() => {
      this.#sql.add.run(id, kind, owner, createdMs, open ? 1 : 0, expiresMs ?? null, JSON.stringify(facts));
    });
  }

  async find(id: string): Promise<KeptDocument | undefined> {
    const row = this.#access.read(() => this.#sql.find.get(id));
    return row === undefined ? undefined : toDocument(row);
  }

  async list({ kind, owner, before = '~', limit }: DocumentQuery): Promise<KeptDocument[]> {
    return this.#sound(() => this.#sql.list.all(kind, owner ?? null, before, limit));
  }

  async opened(kind: DocumentKind): Promise<KeptDocument[]> {
    return this.#sound(() => this.#sql.opened.all(kind));
  }

  change(id: string, revision: number, { facts, open, expiresMs }: DocumentChange): Promise<boolean> {
    const values = [open ? 1 : 0, expiresMs ?? null, JSON.stringify(facts), id, revision] as const;
    return this.#access.write(() => changed(this.#sql.change, ...values));
  }

  addPart(id: string, part: number, text: string): Promise<boolean> {
    return this.#access.write(() => changed(this.#sql.addPart, id, part, text));
  }

  async parts(id: string, after: number, limit: number): Promise<DocumentPart[]> {
    const rows = this.#access.read(() => boundedPage(this.#sql.parts.iterate(id, after, limit), ({ text }) => [text]));
    return rows.map(({ part, text }) => ({ part: Number(part), text: String(text) }));
  }

  async partNumbers(id: string): Promise<number[]> {
    return this.#access.read(() => this.#sql.partNumbers.all(id).map(({ part }) => Number(part)));
  }

  remove(id: string): Promise<boolean> {
    return this.#access.write(() => this.#drop(id));
  }

  expire(beforeMs: number, atMost: number): Promise<number> {
    return this.#access.write(() => {
      const rows = this.#sql.expired.all(beforeMs, atMost);
      for (const { id } of rows) this.#drop(String(id));
      return rows.length;
    });
  }

  #sound(rows: () => SqlRow[]): KeptDocument[] {
    return soundDocuments(this.#access.read(rows), this.#access.onDamage);
  }

  #drop(id: string): boolean {
    this.#sql.dropParts.run(id);
    return changed(this.#sql.drop, id);
  }
}
