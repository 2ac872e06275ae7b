// Files of searches that grow as searches end: the first line has the settings that all share, every other line is one search. An interrupted
// run continues after the last line; a line that was cut short is ignored.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { raise } from '@coppice/core/base';

/** The lines of a file, which is begun with this first line if missing; a file with other settings is refused. */
export function keptUnder<Line>(file: string, head: string): Line[] {
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, `${head}\n`);
  const first = headOf(file);
  if (first !== head) raise('bad-setting', `${file} holds searches of other settings: ${first.slice(0, 300)}`);
  if (!textOf(file).endsWith('\n')) appendFileSync(file, '\n');
  return keptLines(file);
}

export function headOf(file: string): string {
  return textOf(file).split('\n', 1)[0]!;
}

export function keptLines<Line>(file: string): Line[] {
  const [, ...lines] = textOf(file).split('\n');
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Line);
}

function textOf(file: string): string {
  try {
    return file.endsWith('.gz') ? gunzipSync(readFileSync(file)).toString() : readFileSync(file, 'utf8');
  } catch (error) {
    return raise('bad-setting', `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
