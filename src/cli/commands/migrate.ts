// `coppice migrate`: makes the tables of a cluster in PostgreSQL, or says that they are there. The only command that
// changes tables: nodes look at them when they start and change nothing, so that an upgrade happens when its operator wants it.

import { journalKind } from '../../config/plugin.ts';
import { defaultModels } from '../plugins/plugins.ts';
import { readConfig } from '../terminal/config-file.ts';
import { readArguments } from '../terminal/options.ts';

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
  const config = readConfig(values.config, defaultModels(), values.set);
  console.log(await journalKind('postgres').migrate!(config, process.env));
  return 0;
}
