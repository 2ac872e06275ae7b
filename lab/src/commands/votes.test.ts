// `votes` from end to end, on samples and confidences as training/real writes them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { votedSamples } from '../real/recorded-votes.ts';
import { run } from './votes.ts';

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-votes-'));
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    said.push(String(line));
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

function at(name: string): string {
  return join(folder, name);
}

function writeLines(name: string, lines: readonly object[]): string {
  writeFileSync(at(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return at(name);
}

const answers = [3, 3, 4, 3, 3, 3, 3, 3];

/** Samples of two steps of 20 tokens, in hundredths; sample 2 is wrong and unsure of itself. */
function writeSamples(sets: readonly string[]) {
  const solutions = sets.flatMap((set) =>
    [0, 1, 2].flatMap((index) => answers.map((answer, sample) => ({ set, index, sample, answer }))),
  );
  const questions = [0, 1, 2].map((index) => ({ id: `q${index}`, question: `What is sum ${index}?`, answer: '3' }));
  for (const set of sets) writeLines(`${set}.jsonl`, questions);
  const drawn = solutions.map(({ answer, ...each }) => ({
    ...each,
    tokens: 40,
    text: `So\n\nit is \\boxed{${answer}}`,
  }));
  const scored = solutions.map(({ answer, ...each }) => ({ ...each, odds: [0, answer === 3 ? 3 : -3] }));
  const values = solutions.flatMap(({ sample }) => Array<number>(40).fill(sample === 2 ? 300 : 1200 + sample));
  const head = { scale: 100, solutions: solutions.map(({ set, index, sample }) => [set, index, sample, [20, 20]]) };
  const planes = [...values.map((value) => value & 255), ...values.map((value) => value >> 8)];
  writeFileSync(at('c.gz'), gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), Buffer.from(planes)])));
  const named = ['--drawn', writeLines('drawn.jsonl', drawn), '--confidences', at('c.gz')];
  return { named, scored: writeLines('scored.jsonl', scored) };
}

it('prints what each rule saves and loses, by votes and by rewards', async () => {
  const { named, scored } = writeSamples(['sums', 'sums-train']);
  const files = [at('sums.jsonl'), at('sums-train.jsonl')];
  expect(await run([...files, ...named, '--scored', scored, '--samples', '8'])).toBe(0);
  expect(said.filter((line) => line.includes('3 test questions, 3 training questions'))).toHaveLength(2);
  const saved = (name: string) => Number(/([-\d.]+) % saved/.exec(said.find((line) => line.startsWith(name))!)?.[1]);
  expect(saved('vote of all ')).toBe(0);
  expect(saved('lead at 0.1')).toBeGreaterThan(0);
  expect(said.some((line) => line.startsWith('training, deepconf: keep'))).toBe(true);
});

it('tells the vote of all alone where no confidences are given', async () => {
  const { named } = writeSamples(['sums']);
  expect(await run([at('sums.jsonl'), ...named.slice(0, 2), '--samples', '8'])).toBe(0);
  expect(said.map((line) => line.split(/ {2,}/)[0])).toEqual([
    expect.stringContaining('3 test questions, 0 training questions'),
    'vote of all',
  ]);
});

it('reads steps with their confidences and their rewards', () => {
  const { named, scored } = writeSamples(['sums']);
  const questions = [{ id: 'q', question: 'What is sum 0?', answer: '3', solvable: true, difficulty: undefined }];
  const files = { drawn: [named[1]!], confidences: [named[3]!], scored: [scored] };
  const found = votedSamples('sums', questions, files).get(0)!;
  expect(found.length).toBe(8);
  const [, , third] = found.make(3);
  expect(third).toMatchObject({ answer: '4', right: false });
  expect(third!.steps.map(({ tokens }) => tokens)).toEqual([20, 20]);
  expect(third!.steps[1]!.confidences).toEqual(Array(20).fill(3));
  expect(third!.steps.map(({ reward }) => reward!.toFixed(2))).toEqual(['0.50', '0.05']);
});

it('says what is missing', async () => {
  await expect(run([])).rejects.toThrow('of what? npm run lab -- votes TEST [TRAIN]');
  const { named } = writeSamples(['sums', 'sums-train']);
  const files = [at('sums.jsonl'), at('sums-train.jsonl')];
  await expect(run([...files, ...named])).rejects.toThrow('sums.jsonl have 32 samples: 0 (--samples)');
});
