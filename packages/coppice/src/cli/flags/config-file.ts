// Reads the configuration in force for a command: the given file or `coppice.json` of this folder, then the environment, then its flags.

import { existsSync } from 'node:fs';
import { type Config, loadConfig, readText } from '@coppice/core/config';
import type { Flags } from './help.ts';

export const configFlags = {
  config: { type: 'string', takes: 'FILE', about: 'JSON with comments; coppice.json here, if there is one' },
  set: {
    type: 'string',
    multiple: true,
    takes: 'KEY=VALUE',
    about: 'one setting of it, such as journal.kind=postgres',
  },
} as const satisfies Flags;

interface ConfigValues {
  readonly config?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

/** `models`: served if nothing else is named. `shorthand`: what other flags set, applied after `--set`. */
export function readConfig(values: ConfigValues, models: readonly object[], shorthand: readonly string[] = []): Config {
  const file = values.config ?? (existsSync('coppice.json') ? 'coppice.json' : undefined);
  return loadConfig({
    base: { models },
    ...(file !== undefined && { file: { name: file, text: readText(file) } }),
    environment: process.env,
    settings: [...(values.set ?? []), ...shorthand],
  });
}
