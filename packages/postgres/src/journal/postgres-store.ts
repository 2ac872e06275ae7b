// PostgreSQL as a store of writes, on one connection, opened when needed and closed after any error that is not about values.
// If the connection breaks after the commit was sent, it is unknown whether the batch was stored.

import { type Store, StoreRefusal } from '@coppice/core/journal';
import type { Client } from 'pg';
import type { JournalWrite } from './batch.ts';
import { type BatchOptions, BatchRun } from './batch-run.ts';
import { blamesValues, describeError, isContention, isRolledBack } from './connection.ts';

interface PostgresStoreOptions extends BatchOptions {
  readonly connect: () => Promise<Client>;
}

export class PostgresStore implements Store<JournalWrite> {
  readonly isLocal = false;
  readonly #options: PostgresStoreOptions;
  #client: Client | undefined;

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
  }

  async commit(writes: readonly JournalWrite[], isUnsure: (write: JournalWrite) => boolean): Promise<unknown[]> {
    const run = new BatchRun<JournalWrite>(await this.#connected(), this.#options, isUnsure);
    try {
      const results = await run.run(writes);
      return writes.map((each) => results.get(each) ?? false);
    } catch (error) {
      throw this.#refusal(error, run.mayBeCommitted);
    }
  }

  async probe(): Promise<void> {
    try {
      await (await this.#connected()).query(this.#options.statements.probe);
    } catch (error) {
      throw this.#refusal(error, false);
    }
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {});
  }

  async #connected(): Promise<Client> {
    try {
      this.#client ??= await this.#options.connect();
      return this.#client;
    } catch (error) {
      throw new StoreRefusal(describeError(error), 'store');
    }
  }

  #refusal(error: unknown, mayBeCommitted: boolean): StoreRefusal {
    if (error instanceof StoreRefusal) return error;
    const message = describeError(error);
    const isUnsure = mayBeCommitted && !isRolledBack(error);
    if (blamesValues(error)) return new StoreRefusal(message, 'values', { isUnsure });
    if (isContention(error)) return new StoreRefusal(message, 'contention', { isUnsure });
    this.#disconnect();
    return new StoreRefusal(message, 'store', { isUnsure });
  }

  /** The server then commits or rolls back an open transaction; the next try finds out which. */
  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.end().catch(() => {});
  }
}
