// `lines` from end to end, against a chat server whose answers are scripted; the judgement of lines, and the table by hand.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AnsweringServer } from '../../../tests/servers/answering-server.ts';
import type { LineResult } from '../real/line-search.ts';
import { lineTable } from '../real/line-table.ts';
import { isAnswerRight, isLineRight, linePrompt, lineQuestions, lineTasks } from '../real/line-tasks.ts';
import { run } from './lines.ts';

let folder: string;
let server: AnsweringServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-lab-'));
  server = await new AnsweringServer({ model: 'scripted' }).listen();
  vi.spyOn(console, 'log').mockImplementation(() => {});
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

it('samples until one passes or its tokens are spent, and asks nothing twice', async () => {
  const [first, second] = lineQuestions('game24', 'test');
  let calls = 0;
  server.answer = (question) => {
    calls += 1;
    return question === first && calls > 2 ? 'Answer: 2 * (8 + 6 - 2) = 24' : 'Answer: 1 + 1 + 1 + 1 = 24';
  };
  const file = join(folder, 'lines.jsonl');
  const asked = ['--tasks', 'game24', '--programs', 'samples', '--size', '2', '--token-budget', '60'];
  const args = [file, ...asked, '--engine', `${server.url}/v1`, '--model', 'scripted'];
  expect(await run(args)).toBe(0);
  const found = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  const results = found.map((line) => JSON.parse(line) as LineResult);
  expect(results.map(({ question, right, exit }) => [question, right, exit])).toEqual([
    [first, true, 'accepted'],
    [second, false, 'exhausted'],
  ]);
  const before = calls;
  expect(await run(args)).toBe(0);
  expect(calls).toBe(before);
});

it.each(lineTasks)(
  '%s: has 200 questions to measure, others to tune on, and examples that its checker passes',
  (task) => {
    const [test, tuning] = [lineQuestions(task, 'test'), lineQuestions(task, 'tuning')];
    const texts = new Set(test);
    expect([test.length, texts.size, tuning.length > 20]).toEqual([200, 200, true]);
    const messages = linePrompt(task, 'last').slice(1, -1);
    const shown = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect([...tuning, ...shown].filter((each) => texts.has(each))).toEqual([]);
    for (const [at, question] of shown.entries()) {
      const worked = messages[2 * at + 1]!.content.split('\n');
      // Ours have fewer empty cells than the shipped models were trained on.
      if (task === 'sudoku') continue;
      const verdicts = worked.map((_, last) =>
        isLineRight(question, worked.slice(0, last + 1), last === worked.length - 1),
      );
      expect(verdicts).toEqual(worked.map(() => true));
      expect(isAnswerRight(question, worked.at(-1))).toBe(true);
    }
  },
);

it.each([
  ['a line that leads nowhere', ['3 + 3 = 6 (left: 8 8 6)'], false, true],
  ['a false sum', ['3 + 3 = 7 (left: 8 8 7)'], false, false],
  ['a number that is not there', ['3 + 4 = 7 (left: 3 8 7)'], false, false],
  ['a number forgotten', ['3 + 3 = 6 (left: 8 6)'], false, false],
  [
    'another number at the end',
    ['3 + 3 = 6 (left: 8 8 6)', '8 - 8 = 0 (left: 6 0)', '6 + 0 = 6 (left: 6)'],
    false,
    false,
  ],
  ['a path that ends without an answer', ['3 + 3 = 6 (left: 8 8 6)'], true, false],
  ['an answer', ['Answer: 8 / (3 - 8 / 3) = 24'], true, true],
  ['an answer behind which the model goes on', ['Answer: 8 / (3 - 8 / 3) = 24\n'], false, false],
  ['an answer that is another number', ['Answer: 3 + 3 + 8 + 8 = 24'], true, false],
] as const)('%s', (_, path, isEnd, right) => {
  expect(isLineRight('Make 24 from 3 3 8 8.', path, isEnd)).toBe(right);
});

it('counts what was right within its tokens, paired by question and seed', () => {
  const shared = { task: 'game24', promptTokens: 1, cachedTokens: 1, lines: 4, falseLines: 1, said: '' } as const;
  const result = (program: 'samples' | 'best-first', question: string, tokens: number, right: boolean): LineResult => ({
    ...shared,
    program,
    question,
    tokens,
    right,
    seed: 1,
    exit: right ? 'accepted' : 'exhausted',
  });
  const table = lineTable(
    [
      ...[result('samples', 'a', 900, true), result('samples', 'b', 1600, false)],
      ...[
        result('best-first', 'a', 300, true),
        result('best-first', 'b', 500, true),
        result('best-first', 'c', 9, true),
      ],
    ],
    1600,
  );
  expect(table[1]).toBe('  samples      0.0 (100)  0.0 (200)  0.0 (400)  0.0 (800)  50.0 (1250)');
  expect(table[3]).toMatch(/^ {2}best-first over samples: 0\.0 .* 50\.0 \[.*\] {2}100\.0 \[.*\] {2}50\.0 \[/);
});

it('passes no answer to a question that no task has', () => {
  expect(isLineRight('Make 30 from 5 6.', ['Answer: 5 * 6 = 30'], true)).toBe(false);
});
