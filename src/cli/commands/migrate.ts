// `coppice migrate`: makes the tables of a cluster in PostgreSQL, or says that they are there. The only command that
// changes tables: nodes look at them when they start and change nothing, so that an upgrade happens when its operator wants it.

import { defaultModels } from '../../answering/models/default-models.ts';
import { NodeQueue } from '../../cluster/node-queue.ts';
import { connect, databaseFault } from '../../journal/postgres/connection.ts';
import { migrate } from '../../journal/postgres/schema.ts';
import { readConfig } from '../terminal/config-file.ts';
import { readArguments } from '../terminal/options.ts';
import { databaseOf } from './open-journal.ts';

export const help = `usage: coppice migrate [options]
Makes the tables of journal.schema in the PostgreSQL that DATABASE_URL names;
does nothing where they are there.

  --config FILE       JSON with comments; coppice.json here, if there is one
  --set KEY=VALUE     one setting, such as journal.schema=coppice`;

export const flags = {
  config: { type: 'string' },
  set: { type: 'string', multiple: true, default: [] as string[] },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments({ args: [...args], options: flags });
  const options = databaseOf(readConfig(values.config, defaultModels(), values.set), process.env);
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
