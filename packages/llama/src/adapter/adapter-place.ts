// Finds a LoRA adapter by its path: a PEFT folder, or a GGUF file of type adapter. Reads `reward-model.json` beside the weights, and refuses
// weights whose checksum differs from `SHA256SUMS`.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { raise } from '@coppice/core/base';
import { aggregations } from '@coppice/core/tree';
import { z } from 'zod';

export interface AdapterPlace {
  readonly path: string;
  readonly form: 'peft' | 'gguf';
  readonly reading: AdapterReading;
}

export const configName = 'adapter_config.json';
export const weightsName = 'adapter_model.safetensors';
const readingName = 'reward-model.json';
const sumsName = 'SHA256SUMS';

/** Format of `reward-model.json`; a file that names none has this one too. */
const knownFormat = 1;

const readingSchema = z.strictObject({
  format: z.literal(knownFormat).exactOptional(),
  good: z.string().min(1).exactOptional(),
  bad: z.string().min(1).exactOptional(),
  marker: z.string().exactOptional(),
  aggregation: z.enum(aggregations).exactOptional(),
  trust: z.number().min(0).max(1).exactOptional(),
  /** AUC over pairs of a right and a wrong answer to one question, by the score after the last step. */
  measured: z
    .strictObject({
      date: z.iso.date(),
      steps: z.string().min(1),
      sets: z.array(z.strictObject({ name: z.string(), questions: z.int(), auc: z.number().min(0).max(1) })).min(1),
    })
    .exactOptional(),
});

export type AdapterReading = z.infer<typeof readingSchema>;

/** Undefined if the path is a whole model or missing; a folder counts as an adapter. */
export function adapterAt(path: string): AdapterPlace | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return folderAt(path);
  if (stat?.isFile() !== true || openingFacts(path).get('general.type') !== 'adapter') return undefined;
  checkSum(path);
  return { path, form: 'gguf', reading: readingBeside(path) };
}

function folderAt(path: string): AdapterPlace {
  for (const name of [configName, weightsName]) {
    if (!existsSync(join(path, name)))
      raise('bad-setting', `the folder ${path} is no LoRA adapter: there is no ${name} in it`);
  }
  checkSum(join(path, weightsName));
  return { path, form: 'peft', reading: readingOf(join(path, readingName)) };
}

/** Reads `reward-model.json` in the folder of these weights. */
export function readingBeside(path: string): AdapterReading {
  return readingOf(join(dirname(path), readingName));
}

function readingOf(path: string): AdapterReading {
  if (!existsSync(path)) return {};
  const said = jsonOf(path);
  const { format = knownFormat } = Object(said) as { readonly format?: unknown };
  if (format !== knownFormat)
    raise('bad-setting', `${path} is of format ${format}; this coppice reads ${knownFormat}: a newer one may read it`);
  const { success, data, error } = readingSchema.safeParse(said);
  if (success) return data;
  const { path: at, message } = error.issues[0]!;
  return raise('bad-setting', `${path} has unusable values: ${[...at, message].join(' ')}`);
}

export function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return raise('bad-setting', `${path} is no JSON`);
  }
}

/** Reads lines as `sha256sum` writes them. */
function checkSum(path: string): void {
  const sums = join(dirname(path), sumsName);
  if (!existsSync(sums)) return;
  const line = readFileSync(sums, 'utf8')
    .split('\n')
    .map((each) => /^([0-9a-f]{64}) [ *](.+)$/.exec(each.trim()))
    .find((match) => match?.[2] === basename(path));
  if (line === undefined || line === null) return;
  const found = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (found === line[1]) return;
  raise(
    'bad-setting',
    `the SHA-256 of ${path} is ${found}, but ${sums} says ${line[1]}: the file has changed, fetch it again`,
  );
}

/** Bytes of GGUF's scalar types, by type number. */
const scalarBytes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const stringType = 8;
const openingBytes = 65_536;
const factsStart = 24;

/** String metadata of a GGUF file up to its first list; empty for other files. */
export function openingFacts(path: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  const bytes = opening(path);
  if (bytes.toString('latin1', 0, 4) !== 'GGUF') return facts;
  let at = factsStart;
  const text = (): string => {
    const start = at + 8;
    at = start + Number(bytes.readBigUInt64LE(at));
    return bytes.toString('utf8', start, at);
  };
  while (at + 8 < bytes.length) {
    const key = text();
    if (at + 12 > bytes.length) break;
    const type = bytes.readUInt32LE(at);
    at += 4;
    if (type === stringType) facts.set(key, text());
    else if (scalarBytes[type] !== undefined) at += scalarBytes[type];
    else break;
  }
  return facts;
}

function opening(path: string): Buffer {
  const bytes = Buffer.alloc(openingBytes);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
