// `coppice migrate`: makes the tables of a cluster in PostgreSQL, or says that they are there. The only command that
// changes tables: nodes look at them when they start and change nothing, so that an upgrade happens when its operator wants it.

import { defaultModels } from '../../answering/models/default-models.ts';
import { NodeQueue } from '../../cluster/node-queue.ts';
import { connect, databaseFault } from '../../journal/postgres/connection.ts';
import { migrate } from '../../journal/postgres/schema.ts';
import { configFlags, readConfig } from '../flags/config-file.ts';
import { type Flags, type Help, helpFlag } from '../flags/help.ts';
import { readArguments } from '../flags/options.ts';
import { databaseOf } from './open-journal.ts';

export const flags = { ...configFlags, ...helpFlag } as const satisfies Flags;

export const help: Help = {
  usage: 'migrate [options]',
  about:
    'Makes the tables of journal.schema in the PostgreSQL that DATABASE_URL names; does nothing where they are there.',
  groups: [['options', flags]],
  examples: ['migrate --set journal.kind=postgres --set journal.schema=coppice'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments({ args: [...args], options: flags });
  const options = databaseOf(readConfig(values, defaultModels()), process.env);
  const client = await connect(options);
  try {
    const isNew = await migrate(client, options.schema);
    await NodeQueue.migrate(options);
    console.log(`schema ${options.schema}: ${isNew ? 'the tables are made' : 'the tables are there already'}`);
    return 0;
  } catch (error) {
    throw databaseFault(error, options);
  } finally {
    await client.end();
  }
}
