// `drafts` from end to end on the shipped pair, one block: it keeps a line for each way of drafting, goes on behind them, and says the same answers.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { run } from './drafts.ts';

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-lab-'));
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    said.push(String(line));
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

const work = [
  '--questions',
  'packages/llama/tasks/word-problem.test.jsonl',
  '--rounds',
  '1',
  '--sequences',
  '1',
  '--temperatures',
  '0',
];

it('keeps every way of drafting, goes on behind them, and refuses a file of another pair', async () => {
  const file = join(folder, 'drafts.jsonl');
  const kept = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
  const args = [file, ...work, '--answer-tokens', '12'];
  expect(await run([...args, '--drafts', 'inline:2'])).toBe(0);
  expect(kept().map(({ kind, drafts }) => drafts ?? kind)).toEqual(['cost', 'none', 'inline:2']);
  const [, plain, drafted] = kept();
  expect(drafted.written).toEqual(plain.written);
  expect(plain.ranked[0].ranks).toHaveLength(plain.tokens);
  // Under greedy decoding a drafted token stays exactly where the draft model likes the answer's best.
  expect(drafted.acceptedAt[0]).toBeLessThanOrEqual(plain.ranked[0].ranks.filter((rank: number) => rank === 0).length);
  expect(said[0]).toContain('1 of 1');
  expect(await run([...args, '--drafts', 'inline:2,thread:3'])).toBe(0);
  expect(kept().map(({ drafts }) => drafts)).toEqual([undefined, 'none', 'inline:2', 'thread:3']);
  expect(await run([...args, '--drafts', 'inline:7', '--seconds', '0'])).toBe(0);
  expect(kept()).toHaveLength(4);
  await expect(run([...args, '--threads', '2'])).rejects.toThrow('holds searches of other settings');
  await expect(run(work)).rejects.toThrow('blocks go where? npm run lab -- drafts FILE');
  await expect(run([file, ...work, '--answer-tokens', '12', '--drafts', 'aside:2'])).rejects.toThrow('inline');
});
