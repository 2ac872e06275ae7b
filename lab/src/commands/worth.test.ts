// `worth` from end to end, on a small recording.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { run } from './worth.ts';

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-worth-'));
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    said.push(String(line));
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Three right samples in four, ten tokens each; the judge likes the right ones. */
function writeTrees(samples: readonly boolean[]): string {
  const head = { format: 'coppice-trees', version: 1, model: 'm', modelHash: '', verifier: 'v', samples: 4, seed: 1 };
  const ends = samples.map((right, at) => {
    const step = { text: `s${at}`, tokens: 10, meanLogprob: 0, end: 'eos' };
    return { step, reward: right ? 0.9 : 0.1, answer: right ? '1' : '2', right, draws: [] };
  });
  const nodes = [{ draws: ends.map((_, at) => at + 1) }, ...ends];
  const trees = [0, 1, 2].map((index) => ({ question: `q ${index}`, promptTokens: 1, nodes }));
  const file = join(folder, 'sums.trees');
  writeFileSync(file, [head, ...trees].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const options = ['--judge-cost', '1', '--samples', '2,4', '--orders', '8'];

it('prints right answers at equal cost, and the same as an object', async () => {
  const file = writeTrees([true, true, true, false]);
  expect(await run([file, ...options])).toBe(0);
  expect(said[0]).toContain(
    'sums: 3 questions, 4 samples each, s 0.30 in 8 orders; a token that the judge reads costs 1',
  );
  expect(said.find((line) => line.startsWith('vote '))).toMatch(/100\.0/);
  expect(said.some((line) => line.startsWith('auto − lead'))).toBe(true);
  said = [];
  await run([file, ...options, '--json']);
  const [first] = said;
  const { set, budgets, rows } = JSON.parse(first!);
  expect({ set, budgets }).toEqual({ set: 'sums', budgets: [2, 3, 4, 5, 6, 7, 8] });
  // All four samples vote right; two judged ones cost four.
  expect(rows[0]).toMatchObject({ rule: 'vote', right: [expect.any(Number), expect.any(Number), 1, 1, 1, 1, 1] });
  expect(rows[1]).toMatchObject({ rule: 'weighted vote' });
  said = [];
  await run([file, ...options, '--json']);
  expect(said).toEqual([first]);
});

it.each([
  ['trust', 'audited: the slope squared'],
  ['lies', 'inverted'],
  ['streams', 'inverted, praised by a key'],
  ['prices', 'a plain vote of all samples'],
])('prints a table of %s', async (table, line) => {
  expect(await run([writeTrees([true, true, true, false]), ...options, '--table', table])).toBe(0);
  expect(said.some((each) => each.startsWith(line))).toBe(true);
});

it('refuses a table that there is none of', async () => {
  await expect(run(['--table', 'chairs'])).rejects.toThrow('--table is one of');
});

it('refuses a recording whose questions have one sample', async () => {
  await expect(run([writeTrees([true]), ...options])).rejects.toThrow('has too few samples to vote');
});
