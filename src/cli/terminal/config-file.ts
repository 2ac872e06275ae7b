// The configuration in force for a command: the file that it was given or the one that lies here, then the environment, then its flags.

import { existsSync, readFileSync } from 'node:fs';
import { raise } from '../../base/fault.ts';
import '../plugins/plugins.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';

/** `models`: those that are served where nothing else is named. */
export function readConfig(given: string | undefined, models: readonly object[], settings: readonly string[]): Config {
  const file = given ?? (existsSync('coppice.json') ? 'coppice.json' : undefined);
  return loadConfig({
    base: { models },
    ...(file !== undefined && { file: { name: file, text: textOf(file) } }),
    environment: process.env,
    settings,
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return raise('bad-setting', `cannot read --config ${file}: ${reason}`);
  }
}
