// The texts that programs put to a model, one file each: those of the folder `prompts/` that ships with coppice, or those of the
// same name in a folder of the user's own. `NAME.sapling.txt` is for the shipped models, which know only the words of their tasks.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { raise } from '../base/fault.ts';
import { shippedModel } from '../config/plugin.ts';
import type { ModelConfig } from '../config/schema.ts';

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

/** Without the line end at the end of the file: what follows a prompt goes on right behind it. */
function firstOf(name: string, files: readonly string[]): string {
  for (const file of files) {
    const text = textOf(file);
    if (text !== undefined) return text.replace(/\r?\n$/, '');
  }
  return raise('bad-setting', `there is no prompt '${name}'; looked for ${files.join(', ')}`);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return raise('bad-setting', `cannot read the prompt ${file}: ${error instanceof Error ? error.message : error}`);
  }
}
