// The journal that a configuration asks for, open, and the cluster that comes with a shared one. The address of a database
// comes from the environment alone: it may hold a password, and never stands in a file, a log line or a message.

import { hostname } from 'node:os';
import type { Environment } from '../../answering/models/secret.ts';
import type { Clock } from '../../base/clock.ts';
import { raise } from '../../base/fault.ts';
import { Cluster } from '../../cluster/cluster.ts';
import { Membership } from '../../cluster/membership.ts';
import { NodeQueue } from '../../cluster/node-queue.ts';
import type { Config } from '../../config/schema.ts';
import { version } from '../../config/version.ts';
import type { Log } from '../../gateway/observe/log.ts';
import type { Journal } from '../../journal/journal.ts';
import type { DatabaseOptions } from '../../journal/postgres/connection.ts';
import { PostgresJournal } from '../../journal/postgres/postgres-journal.ts';
import { readableByOthers } from '../../journal/sqlite/open-database.ts';
import { SqliteJournal } from '../../journal/sqlite/sqlite-journal.ts';
import { systemClock } from '../../runtime/live.ts';

interface OpenJournal {
  readonly journal: Journal;
  /** The database's, where several share it: turns and ids are compared between nodes. */
  readonly clock: Clock;
  /** Where other nodes may share it. */
  readonly cluster?: Cluster;
}

export async function openJournal(
  config: Config,
  environment: Environment,
  log: Log,
  clock: Clock = systemClock,
): Promise<OpenJournal> {
  const { kind, path, texts, damaged } = config.journal;
  if (kind === 'postgres') return openShared(config, databaseOf(config, environment), log, clock);
  const onDamage = damageTo(log);
  const journal = new SqliteJournal({ path, texts, damaged, onDamage });
  const message = readableByOthers(path);
  if (message !== undefined) log.warn('journal', { message });
  return { journal, clock };
}

async function openShared(config: Config, database: DatabaseOptions, log: Log, own: Clock): Promise<OpenJournal> {
  const { texts } = config.journal;
  const journal = await PostgresJournal.open({ ...database, texts, onDamage: damageTo(log) });
  const models = config.models.map(({ name }) => name);
  const warn = (message: string) => log.warn('cluster', { message });
  try {
    const queue = await NodeQueue.open(database, models, ({ message }) => warn(message));
    const machine = hostname();
    const facts = { node: journal.node, version, models };
    const membership = new Membership(database, facts);
    const skewMs = await membership.skewMs(own);
    const clock = { nowMs: () => own.nowMs() + skewMs };
    return { journal, clock, cluster: new Cluster({ journal, queue, membership, models, machine, warn }) };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

function damageTo(log: Log): (message: string) => void {
  return (message) => log.error('journal', { message });
}

/** What every host of a PostgreSQL calls it: the address holds a password, so no file does. */
const urlEnv = 'DATABASE_URL';

export function databaseOf({ journal }: Config, environment: Environment): DatabaseOptions {
  const { schema } = journal;
  const url = environment[urlEnv];
  if (url === undefined || url === '')
    return raise(
      'bad-setting',
      `journal.kind is postgres, and ${urlEnv} is not set; it holds postgres://user@host/name`,
    );
  return { url, urlEnv, schema };
}
