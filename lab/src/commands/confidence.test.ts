// `confidence` from end to end, on a small recording.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { run } from './confidence.ts';

/** Questions of which every third is answered wrong by most of its samples, and most of those are disliked. */
function writeTrees(folder: string, name: string, count: number): string {
  const head = { format: 'coppice-trees', version: 1, model: 'm', modelHash: '', verifier: 'v', samples: 4, seed: 1 };
  const trees = Array.from({ length: count }, (_, index) => {
    const ends = [0, 1, 2, 3].map((at) => {
      const right = index % 3 === 0 ? at === 0 : at !== index % 4;
      const step = { text: `s${at}`, tokens: 10, meanLogprob: 0, end: 'eos' };
      return { step, reward: right === index % 5 > 0 ? 0.8 : 0.3, answer: right ? '1' : '2', right, draws: [] };
    });
    return { question: `q ${index}`, promptTokens: 1, nodes: [{ draws: [1, 2, 3, 4] }, ...ends] };
  });
  const file = join(folder, name);
  writeFileSync(file, [head, ...trees].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

it('fits on some files, looks at others, and prints the same each time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-confidence-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let said: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => void said.push(String(line)));
  onTestFinished(() => void vi.restoreAllMocks());
  const [one, two] = [writeTrees(folder, 'one.trees', 30), writeTrees(folder, 'two.trees', 21)];
  const args = [one, '--look', two, '--orders', '3', '--prices', '0.002,0'];
  expect(await run(args)).toBe(0);
  expect(said[0]).toMatch(/^votes: (-?\d\.\d+, ){2}-?\d\.\d+$/);
  expect(said.filter((line) => line.includes('one, fitted, all samples (4.0): error'))).toHaveLength(2);
  expect(said.filter((line) => line.includes('two, shipped, price 0.002'))).toHaveLength(2);
  expect(said.some((line) => line.includes('on the others'))).toBe(false);
  said = [];
  await run([...args, '--json']);
  const rows = said.map((line) => JSON.parse(line));
  expect(rows).toHaveLength(16);
  expect(rows[0]).toMatchObject({ set: 'one', signals: 'votes', form: 'fitted', price: 0.002, questions: 30 });
});
