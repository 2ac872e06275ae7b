// The weights are the ones that the model cards speak of, and as small as promised.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import manifest from '../../packages/llama/models/saplings.json' with { type: 'json' };

const MEBIBYTE = 2 ** 20;

it.each([
  ['sapling', 16],
  ['sapling-prm', 16],
  ['sapling-draft', 1.5],
  ['sapling-sudoku', 16],
  ['sapling-ledger', 16],
] as const)('%s is the file of its card, of at most %s MiB', (name, mebibytes) => {
  const data = readFileSync(new URL(`../../packages/llama/models/${name}.gguf`, import.meta.url));
  expect(createHash('sha256').update(data).digest('hex')).toBe(manifest.models[name].sha256);
  expect(data.length).toBeLessThanOrEqual(mebibytes * MEBIBYTE);
});
