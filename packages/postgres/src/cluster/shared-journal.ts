// Opens a journal in PostgreSQL that several nodes share, and the queue between them, and creates their tables. The database's address
// comes from the environment alone: it may hold a password, so it never appears in a file, log line or message.

import { hostname } from 'node:os';
import { raise } from '@coppice/core/base';
import { type Config, type Environment, type JournalOpening, type OpenJournal, version } from '@coppice/core/config';
import { connect, type DatabaseOptions, databaseFault } from '../journal/connection.ts';
import { PostgresJournal } from '../journal/postgres-journal.ts';
import { migrate } from '../journal/schema.ts';
import { PostgresCluster } from './cluster.ts';
import { Membership } from './membership.ts';
import { NodeQueue } from './node-queue.ts';

export async function openShared(
  config: Config,
  { environment, log, clock: own }: JournalOpening,
): Promise<OpenJournal> {
  const database = databaseOf(config, environment);
  const { texts } = config.journal;
  const onDamage = (message: string) => log.error('journal', { message });
  const journal = await PostgresJournal.open({ ...database, texts, onDamage });
  const models = config.models.map(({ name }) => name);
  const warn = (message: string) => log.warn('cluster', { message });
  try {
    const queue = await NodeQueue.open(database, models, ({ message }) => warn(message));
    const machine = hostname();
    const membership = new Membership(database, { node: journal.node, version, models });
    const skewMs = await membership.skewMs(own);
    const clock = { nowMs: () => own.nowMs() + skewMs };
    return { journal, clock, cluster: new PostgresCluster({ journal, queue, membership, models, machine, warn }) };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Opens the journal for reading only; this process does not join the cluster. */
export function readShared(config: Config, environment: Environment): Promise<PostgresJournal> {
  return PostgresJournal.open({ ...databaseOf(config, environment), texts: config.journal.texts });
}

export async function migrateTables(config: Config, environment: Environment): Promise<string> {
  const options = databaseOf(config, environment);
  const client = await connect(options);
  try {
    const isNew = await migrate(client, options.schema);
    await NodeQueue.migrate(options);
    return `schema ${options.schema}: ${isNew ? 'the tables are made' : 'the tables are there already'}`;
  } catch (error) {
    throw databaseFault(error, options);
  } finally {
    await client.end();
  }
}

/** The usual variable. Configuration files have no setting for it, since the address holds a password. */
const urlEnv = 'DATABASE_URL';

function databaseOf({ journal }: Config, environment: Environment): DatabaseOptions {
  const { schema } = journal as unknown as { readonly schema: string };
  const url = environment[urlEnv];
  if (url === undefined || url === '')
    return raise(
      'bad-setting',
      `journal.kind is postgres, and ${urlEnv} is not set; it holds postgres://user@host/name`,
    );
  return { url, urlEnv, schema };
}
