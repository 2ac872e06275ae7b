// The journal that a configuration asks for, open. The address of a database comes from the environment alone: it may
// hold a password, and never stands in a file, a log line or a message.

import { raise } from '../../base/fault.ts';
import type { Config } from '../../config/schema.ts';
import type { Log } from '../../gateway/observe/log.ts';
import type { Journal } from '../../journal/journal.ts';
import { MemoryJournal } from '../../journal/memory/memory-journal.ts';
import type { DatabaseOptions } from '../../journal/postgres/connection.ts';
import { PostgresJournal } from '../../journal/postgres/postgres-journal.ts';
import { SqliteJournal } from '../../journal/sqlite/sqlite-journal.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export async function openJournal({ journal }: Config, environment: Environment, log: Log): Promise<Journal> {
  const { kind, path, texts, flushMs, damaged } = journal;
  if (kind === 'postgres') return PostgresJournal.open({ ...databaseOf({ journal }, environment), texts, flushMs });
  if (path === ':memory:') return new MemoryJournal(texts);
  const onDamage = (message: string) => log.error('journal', { message });
  return new SqliteJournal({ path, texts, flushMs, damaged, onDamage });
}

export function databaseOf({ journal }: Pick<Config, 'journal'>, environment: Environment): DatabaseOptions {
  const { urlEnv, schema } = journal;
  const url = environment[urlEnv];
  if (url === undefined || url === '')
    return raise(
      'bad-setting',
      `journal.kind is postgres, and ${urlEnv} is not set; it holds postgres://user@host/name`,
    );
  return { url, urlEnv, schema };
}
