// The text of a file that a person named.

import { readFileSync } from 'node:fs';
import { raise } from '../base/fault.ts';

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return raise('bad-setting', `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
