// The configuration file that a command was given, or the one that lies here. Reads it; parses nothing.

import { existsSync, readFileSync } from 'node:fs';
import { raise } from '../../base/fault.ts';

export function readConfigFile(
  given: string | undefined,
): { readonly name: string; readonly text: string } | undefined {
  const name = given ?? (existsSync('coppice.json') ? 'coppice.json' : undefined);
  if (name === undefined) return undefined;
  try {
    return { name, text: readFileSync(name, 'utf8') };
  } catch (error) {
    return raise(
      'bad-setting',
      `cannot read --config ${name}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
