// `coppice migrate`: makes the tables of a cluster in PostgreSQL, or says that they exist. No other command changes tables, so that an
// operator decides when an upgrade happens.

import { journalKind } from '@coppice/core/config';
import { configFlags, readConfig } from '../flags/config-file.ts';
import { type Flags, type Help, helpFlag } from '../flags/help.ts';
import { readArguments } from '../flags/options.ts';
import { defaultModels } from '../plugins/plugins.ts';

export const flags = { ...configFlags, ...helpFlag } as const satisfies Flags;

export const help: Help = {
  usage: 'migrate [options]',
  about: 'Makes the tables of journal.schema in the PostgreSQL that DATABASE_URL names; does nothing if they exist.',
  groups: [['options', flags]],
  examples: ['migrate --set journal.kind=postgres --set journal.schema=coppice'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments({ args: [...args], options: flags });
  console.log(await journalKind('postgres').migrate!(readConfig(values, defaultModels()), process.env));
  return 0;
}
