import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTrees } from './questions.ts';

const tree = { question: 'q', promptTokens: 3, nodes: [{ draws: [] }] };
const header = { format: 'coppice-trees', version: 1, verifier: 'v', samples: 1, seed: 1 };
const folder = mkdtempSync(join(tmpdir(), 'trees-'));

function recordingBy(model: string): string {
  const file = join(folder, `${model}.jsonl`);
  writeFileSync(
    file,
    [{ ...header, model, modelHash: 'of other weights' }, tree].map((each) => JSON.stringify(each)).join('\n'),
  );
  return file;
}

it('refuses a recording by other weights of a shipped model, and takes one by a model that is not here', () => {
  expect(() => readTrees(recordingBy('sapling'))).toThrow(/was drawn by other weights of sapling; record it again/);
  expect(readTrees(recordingBy('theirs')).trees).toHaveLength(1);
  expect(() => readTrees(join(folder, 'nothing'), '--calibrate')).toThrow(/--calibrate: cannot read .*nothing/);
});
