// The journal's SQLite file as a store: a batch is one transaction and one fsync. What fails was not applied.

import type { DatabaseSync } from 'node:sqlite';
import { assert } from '../../base/assert.ts';
import { type HoldableWrite, type Store, StoreRefusal } from '../journal-writer.ts';

export interface SqliteWrite extends HoldableWrite {
  readonly apply: () => unknown;
}

export class SqliteStore implements Store<SqliteWrite> {
  readonly isLocal = true;
  readonly #database: DatabaseSync;
  readonly #probe: () => void;

  constructor(database: DatabaseSync, probe: () => void) {
    this.#database = database;
    this.#probe = probe;
  }

  commit(writes: readonly SqliteWrite[]): readonly unknown[] {
    let applying: SqliteWrite | undefined;
    try {
      this.#database.exec('begin immediate');
      const results = writes.map((each) => {
        applying = each;
        return each.apply();
      });
      applying = undefined;
      this.#database.exec('commit');
      return results;
    } catch (cause) {
      this.#rollBack();
      assert(cause instanceof Error, 'only errors are thrown');
      const blames = applying !== undefined && !isTroubleOfDisk(cause) ? 'values' : 'store';
      throw new StoreRefusal(cause.message, blames, { culprit: applying });
    }
  }

  probe(): void {
    this.commit([{ apply: this.#probe, settle: () => {}, fail: () => {}, awaited: false }]);
  }

  /** SQLite may have done it itself; on a disk that fails this may fail too. */
  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback');
    } catch {}
  }
}

/** SQLite's primary codes that blame values: too big, constraint, mismatch, range. */
const blamesValues: ReadonlySet<number> = new Set([18, 19, 20, 25]);

function isTroubleOfDisk(error: Error): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && !blamesValues.has(errcode & 0xff);
}
