// `panel` from end to end against two scripted chat servers: what both are asked, what the panel saves, and that both ways get the same samples.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AnsweringServer } from '../../../tests/servers/answering-server.ts';
import type { PanelLine } from '../real/panel-table.ts';
import { run } from './panel.ts';

let folder: string;
let big: AnsweringServer;
let small: AnsweringServer;
let said: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-panel-'));
  big = await new AnsweringServer({ model: 'big' }).listen();
  small = await new AnsweringServer({ model: 'small' }).listen();
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    said.push(String(line));
  });
  const questions = [
    { id: 'easy', question: 'What is sum 0?', answer: '3' },
    { id: 'hard', question: 'What is sum 1?', answer: '5' },
  ];
  writeFileSync(join(folder, 'sums.jsonl'), questions.map((each) => `${JSON.stringify(each)}\n`).join(''));
});

afterEach(async () => {
  await big.close();
  await small.close();
  rmSync(folder, { recursive: true });
});

it('gives both the same samples, and ends the panel where four of six agree', async () => {
  const asked = { big: 0, small: 0 };
  big.answer = (question) => {
    asked.big += 1;
    return question.includes('sum 0') ? 'So it is \\boxed{3}' : `So it is \\boxed{${asked.big + 100}}`;
  };
  small.answer = (question) => {
    asked.small += 1;
    return question.includes('sum 0') ? 'Well, it is \\boxed{3}' : `Well, it is \\boxed{${asked.small + 200}}`;
  };
  const file = join(folder, 'panel.jsonl');
  const questions = ['--questions', join(folder, 'sums.jsonl'), '--full', '--concurrency', '1'];
  const settings = ['--engine', `${big.url}/v1`, '--model', 'big', '--rollouts', '7', '--seed', '1'];
  expect(await run([file, `${small.url}/v1`, 'small', ...questions, ...settings])).toBe(0);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const [easy, hard] = lines.map((line) => JSON.parse(line) as PanelLine);
  expect(easy!.panel).toMatchObject({ right: true, by: 'majority', samples: 4 });
  expect(easy!.samples.map(({ model }) => model)).toEqual(['big', 'small', 'big', 'small', 'big', 'small']);
  expect(easy!.majority).toMatchObject({ right: true });
  expect(easy!.panel.tokens).toBeLessThan(easy!.majority.tokens);
  expect(easy!.synthesis.tokens).toBeGreaterThan(easy!.majority.tokens);
  expect(hard!.panel).toMatchObject({ right: false, by: 'vote', samples: 6 });
  // Six samples of each question, though two searches asked for them, and the synthesis of those that run to the end.
  expect(asked).toEqual({ big: 3 + 3 + 2, small: 3 + 3 });
  expect(said[0]).toContain('2 questions, 6 samples each');
  expect(said.join('\n')).toContain('panel ended by majority after 4: 1, vote after 6: 1');
  said = [];
  expect(await run([file])).toBe(0);
  expect(said[0]).toContain('2 questions');
});

it('replays recorded samples of two models, and leaves out questions that one of them lacks', async () => {
  const line = (index: number, sample: number, answer: number) => {
    return `${JSON.stringify({ set: 'sums', index, sample, tokens: 10, text: `It is \\boxed{${answer}}` })}\n`;
  };
  const three = (index: number, ...answers: number[]) => answers.map((answer, at) => line(index, at, answer)).join('');
  writeFileSync(join(folder, 'big.jsonl'), three(0, 3, 3, 3) + three(1, 5, 5, 5));
  writeFileSync(join(folder, 'small.jsonl'), three(0, 3, 4, 3));
  const drawn = ['big.jsonl', 'small.jsonl'].map((name) => join(folder, name));
  expect(await run(['--recorded', join(folder, 'sums.jsonl'), ...drawn])).toBe(0);
  expect(said[0]).toBe('1 questions of sums, 1 times 3 recorded samples of each model');
  expect(
    said.filter((each) => each.startsWith('replayed')).map((each) => /([\d.]+) % +(\d+) tokens/.exec(each)?.slice(1)),
  ).toEqual([
    ['100.0', '60'],
    // 3 and 3, 3 and 4, 3 and 3; where a disagreement would be put together only a vote that is no majority differs.
    ['100.0', '60'],
    ['100.0', '60'],
  ]);
});

it('says what is missing', async () => {
  await expect(run([])).rejects.toThrow('who answers, and where to?');
  await expect(run(['--recorded', 'a.jsonl', 'b.jsonl'])).rejects.toThrow('of what? npm run lab -- panel --recorded');
});
