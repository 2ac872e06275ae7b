// The texts that programs put to a model, one file each: those of the folder `prompts/` that ships with coppice, or those of the
// same name in a folder of the user's own. `NAME.sapling.txt` is for the shipped models, which know only the words of their tasks.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OddsLine } from '../base/arithmetic.ts';
import { raise } from '../base/fault.ts';
import { jsonOrText } from '../base/record.ts';
import { shippedModel } from '../config/plugin.ts';
import { readText } from '../config/read-text.ts';
import type { ModelConfig } from '../config/schema.ts';

export const confidenceFile = 'confidence.json';
const shippedFolder = fileURLToPath(new URL('../../prompts/', import.meta.url));

/** Read anew for every plan: an edited file counts from the next search on, and a plan keeps what it was made with. */
export function readPrompts(
  names: readonly string[],
  { engine, prompts: own }: Pick<ModelConfig, 'engine' | 'prompts'>,
): Readonly<Record<string, string>> {
  if (own !== undefined && !existsSync(own)) raise('bad-setting', `prompts is '${own}'; there is no such folder`);
  const isSapling = shippedModel(engine) !== undefined;
  const folders = own === undefined ? [shippedFolder] : [own, shippedFolder];
  const places = (name: string) =>
    folders.flatMap((folder) =>
      (isSapling ? [join(folder, `${name}.sapling.txt`)] : []).concat(join(folder, `${name}.txt`)),
    );
  return Object.fromEntries(names.map((name) => [name, firstOf(name, places(name))]));
}

/** What `coppice doctor --questions` found on questions of the operator's own; undefined where none was kept. */
export function ownConfidence({ prompts: own }: Pick<ModelConfig, 'prompts'>): OddsLine | undefined {
  const file = own && join(own, confidenceFile);
  if (!file || !existsSync(file)) return undefined;
  const found = jsonOrText(readText(file));
  const isLine = Array.isArray(found) && found.length === 2 && found.every(Number.isFinite);
  return isLine ? (found as [number, number]) : raise('bad-setting', `${file} must hold two numbers, as [0.1,0.9]`);
}

/** Without the line end at the end of the file: what follows a prompt goes on right behind it. */
function firstOf(name: string, files: readonly string[]): string {
  const file = files.find((each) => existsSync(each));
  if (file === undefined) return raise('bad-setting', `there is no prompt '${name}'; looked for ${files.join(', ')}`);
  return readText(file).replace(/\r?\n$/, '');
}
