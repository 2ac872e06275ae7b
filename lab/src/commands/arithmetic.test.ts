// `arithmetic` from end to end, on a few samples with texts.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { run } from './arithmetic.ts';

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-arithmetic-'));
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    said.push(String(line));
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Of three samples two slip to the same wrong answer; a continuation below a prefix does not count. */
const texts = [
  'First 3 + 4 = 7.\n\nThe answer is \\boxed{7}.',
  'First 3 + 4 = 8.\n\nThe answer is \\boxed{8}.',
  'So 3 + 4 = 8 pears.\n\nThe answer is \\boxed{8}.',
];

function write(name: string, lineOf: (sample: number) => object): string {
  const lines = [0, 1].flatMap((index) =>
    [0, 1, 2, 3].map((sample) => {
      const parent = sample === 3 ? 0 : null;
      const known = { set: 'sums', index, system: 'boxed', sample, parent, right: sample === 0, tokens: 10 };
      return `${JSON.stringify({ ...known, ...lineOf(sample % 3) })}\n`;
    }),
  );
  writeFileSync(join(folder, name), lines.join(''));
  return join(folder, name);
}

it('counts false equations of right and wrong samples, and lets them vote less', async () => {
  const solutions = write('solutions.jsonl', (sample) => ({ text: texts[sample] }));
  expect(await run([solutions, '--samples', '1,3,9', '--orders', '6'])).toBe(0);
  expect(said[0]).toBe('sums: 2 questions, 3 samples each, in 6 orders, seed 1');
  expect(said[1]).toBe('  with a false equation: 0.0 % of right, 100.0 % of wrong samples');
  expect(said[3]).toBe("  right: 0.0 %, of the same questions' others 100.0 %");
  // Two wrong votes of a tenth each are fewer than a right one.
  expect(said.find((line) => line.startsWith('  majority of 3'))).toMatch(
    /: 0\.0 %; such a sample counts 0\.1: 100\.0/,
  );
  expect(said.filter((line) => line.startsWith('  majority'))).toHaveLength(2);
});

it('takes answers and the judge from the scores', async () => {
  const solutions = write('solutions.jsonl', (sample) => ({ text: texts[sample] }));
  const scores = write('scores.jsonl', (sample) => ({
    answer: sample === 0 ? '7' : '8',
    odds: [sample === 0 ? 3 : -3],
  }));
  await run([solutions, '--scores', scores, '--samples', '3', '--weight', '1']);
  expect(said.slice(-2).map((line) => line.slice(0, 24))).toEqual([
    '  majority of 3: 0.0 %; ',
    '  weighted of 3: 100.0 %',
  ]);
});

it('bears samples that are all right and have no false equation', async () => {
  const line = {
    set: 'people',
    index: 0,
    system: '',
    sample: 0,
    parent: null,
    text: '2 + 2 = 4',
    right: true,
    tokens: 1,
  };
  writeFileSync(join(folder, 'people.jsonl'), JSON.stringify(line));
  expect(await run([join(folder, 'people.jsonl'), '--samples', '1'])).toBe(0);
  expect(said.slice(1, 4)).toEqual([
    '  with a false equation: 0.0 % of right, – of wrong samples',
    '  the first after – of the text, in the median',
    "  right: –, of the same questions' others –",
  ]);
});

it('needs a file', async () => {
  await expect(run([])).rejects.toThrow('arithmetic needs files of solutions');
});
