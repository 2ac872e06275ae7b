// `arrivals`, `contact`, `contest`, `pool` and `rivals` from end to end, against a chat server whose answers are scripted: two questions of three are answered right.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AnsweringServer } from '../../../tests/servers/answering-server.ts';
import { run as arrivals } from './arrivals.ts';
import { run as contact } from './contact.ts';
import { run as contest } from './contest.ts';
import { run as pool } from './pool.ts';
import { run as rivals } from './rivals.ts';

const golds = [3, 5, 8];
let folder: string;
let server: AnsweringServer;
let said: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-lab-'));
  server = await new AnsweringServer({ model: 'scripted' }).listen();
  server.answer = (question) => `So it is \\boxed{${question.includes('sum 2') ? 0 : golds[numberOf(question)]}}`;
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    said.push(String(line));
  });
  const lines = golds.map((answer, at) => ({ id: `q${at}`, question: `What is sum ${at}?`, answer: String(answer) }));
  writeLines('sums.jsonl', lines);
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function numberOf(question: string): number {
  return Number(/sum (\d)/.exec(question)![1]);
}

function at(name: string): string {
  return join(folder, name);
}

function writeLines(name: string, lines: readonly object[]): void {
  writeFileSync(at(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const asked = () => [
  ...['--questions', at('sums.jsonl'), '--full', '--engine', `${server.url}/v1`, '--model', 'scripted'],
  ...['--concurrency', '2'],
];

it('contact asks without coppice twice and through it once, and grades all alike', async () => {
  server.answer = (question, isAdvised) =>
    `So it is \\boxed{${numberOf(question) === 2 && !isAdvised ? 0 : golds[numberOf(question)]}}`;
  expect(await contact([at('answers.json'), ...asked()])).toBe(0);
  const { questions, maxTokens, bare, advised, through } = JSON.parse(readFileSync(at('answers.json'), 'utf8'));
  expect([questions, maxTokens]).toEqual([3, 700]);
  const right = (answers: { correct: boolean }[]) => answers.filter(({ correct }) => correct).length;
  expect([bare, advised, through].map(right)).toEqual([2, 3, 3]);
  expect(said.map((line) => /([\d.]+) % of (\d)/.exec(line)?.slice(1))).toEqual([
    ['66.7', '3'],
    ['100.0', '3'],
    ['100.0', '3'],
  ]);
  expect(said[2]).toContain('0.0 points against the better [');
});

it('contact says what is missing', async () => {
  await expect(contact(['--full'])).rejects.toThrow('answers go where? npm run lab -- contact FILE');
  await expect(contact([at('a.json'), '--questions', at('sums.jsonl')])).rejects.toThrow('contact needs --engine URL');
});

it('contest keeps a search a line with its tree, goes on behind them, and refuses a file of other settings', async () => {
  const settings = ['--programs', 'self-consistency', '--policies', 'vanilla', '--rollouts', '2', '--seed', '1'];
  const args = [at('searches.jsonl'), ...asked(), ...settings];
  expect(await contest(args)).toBe(0);
  const [head, ...lines] = readFileSync(at('searches.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(head!)).toHaveProperty('contender');
  const trials = lines.map((line) => JSON.parse(line));
  expect(trials.map(({ question, correct }) => `${question} ${correct}`).sort()).toEqual([
    'q0 true',
    'q1 true',
    'q2 false',
  ]);
  for (const { nodes } of trials) expect(nodes.length).toBeGreaterThan(0);
  writeFileSync(at('searches.jsonl'), `${[head, lines[0]].join('\n')}\n`);
  const before = server.seen.length;
  await contest(args);
  expect(readFileSync(at('searches.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4);
  expect(server.seen.slice(before).some(({ body }) => JSON.stringify(body).includes(questionOf(lines[0]!)))).toBe(
    false,
  );
  await expect(contest([...args, '--threshold', '0.5'])).rejects.toThrow(/holds searches of other settings/);
});

function questionOf(line: string): string {
  return `What is sum ${JSON.parse(line).question.slice(1)}?`;
}

it('rivals holds searches of contest against the best rule at as many tokens', async () => {
  const end = (answer: number, right: boolean) => ({
    step: { text: `\\boxed{${answer}}`, tokens: 2, meanLogprob: 0, end: 'eos' },
    reward: right ? 0.9 : 0.1,
    answer: String(answer),
    right,
    draws: [],
  });
  const trees = golds.map((gold, index) => {
    const first = index === 0 ? gold : 99;
    return {
      question: `sums ${index}`,
      promptTokens: 9,
      nodes: [{ draws: [1, 2] }, end(first, index === 0), end(gold, true)],
    };
  });
  writeLines('sums.trees', [
    { format: 'coppice-trees', version: 1, model: '', modelHash: '', verifier: '', samples: 2, seed: 1 },
    ...trees,
  ]);
  const settings = ['--programs', 'self-consistency', '--policies', 'vanilla', '--rollouts', '2', '--seed', '1'];
  await contest([at('searches.jsonl'), ...asked(), ...settings]);
  said.length = 0;
  expect(await rivals(['sums.jsonl', 'sums.trees', 'searches.jsonl'].map(at))).toBe(0);
  expect(said[0]).toBe('3 questions with 2 samples each; tokens of both models');
  expect(said).toContain('best of n           2 samples  100.0 %  8 tokens');
  expect(said.at(-1)).toMatch(/on 3 questions: 66\.7 %, \d+ tokens; -33\.3 \[.*\] against\n {2}\S/);
  // A second seed that had only two questions, both right: they count by the mean of their seeds.
  const [head, ...lines] = readFileSync(at('searches.jsonl'), 'utf8').trim().split('\n');
  const second = lines
    .filter((line) => !line.includes('"q0"'))
    .map((line) => line.replace('"correct":false', '"correct":true'));
  writeFileSync(at('second.jsonl'), `${[head, ...second].join('\n')}\n`);
  await rivals([at('sums.jsonl'), at('sums.trees'), `${at('searches.jsonl')},${at('second.jsonl')}`]);
  expect(said.at(-1)).toMatch(/, 2 seeds on 2 questions: 75\.0 %, \d+ tokens; -25\.0 \[/);
  await expect(rivals([at('sums.jsonl')])).rejects.toThrow('of what? npm run lab -- rivals QUESTIONS SAMPLES');
  const others = golds.map((answer, index) => ({ id: `q${index}`, question: 'What?', answer: String(answer + 1) }));
  writeLines('others.jsonl', others);
  await expect(rivals(['others.jsonl', 'sums.trees'].map(at))).rejects.toThrow(
    'sums.trees is of other questions than QUESTIONS: 0 of its 3 right answers are right there',
  );
  // `contest` of best-of-n may be the samples, too.
  await expect(rivals(['others.jsonl', 'searches.jsonl'].map(at))).rejects.toThrow('0 of its 2 right answers');
  writeLines('fewer.jsonl', [{ id: 'q0', question: 'What is sum 0?', answer: '3' }]);
  await expect(rivals(['fewer.jsonl', 'searches.jsonl'].map(at))).rejects.toThrow(
    /searches.jsonl has a question that is not in QUESTIONS: q\d/,
  );
  const foreign = readFileSync(at('searches.jsonl'), 'utf8').replaceAll(/"answer":"\d"/g, '"answer":"77"');
  writeFileSync(at('foreign.jsonl'), foreign);
  await expect(rivals(['sums.jsonl', 'sums.trees', 'foreign.jsonl'].map(at))).rejects.toThrow(
    'foreign.jsonl is of other questions than QUESTIONS',
  );
});

it('arrivals measures once what the first policy sustains, and keeps what a file has measured', async () => {
  const search = ['--programs', 'self-consistency', '--policies', 'vanilla', '--rollouts', '2', '--budget', '2'];
  const args = [at('load.jsonl'), '2p', ...asked(), ...search, '--seed', '1'];
  expect(await arrivals(args)).toBe(0);
  const [head, measured, ...lines] = readFileSync(at('load.jsonl'), 'utf8').trim().split('\n');
  const { capacity } = JSON.parse(measured!);
  expect(capacity).toBeGreaterThan(0);
  expect(lines.map((line) => JSON.parse(line).perSecond)).toEqual([2 * capacity, 2 * capacity, 2 * capacity]);
  writeFileSync(at('load.jsonl'), `${[head, '{"capacity":50}'].join('\n')}\n`);
  said.length = 0;
  await arrivals(args);
  expect(said[0]).toContain('serves 50.00 a second');
  expect(said[0]).toContain('load 2p: 100.00 a second, 3 requests');
});

it('pool pairs a policy with another by load and question, counts a question once, and tells how searches ended', async () => {
  const line = (load: string, contender: string, question: string, correct: boolean, exit = 'accepted') => ({
    load,
    contender,
    question,
    correct,
    exit,
    generatedTokens: contender === 'base' ? 30 : 10,
    scoredTokens: 10,
  });
  // q0 is won at both loads, q1 lost at one of them; at 3/s the base was not run.
  writeLines('p0.jsonl', [
    { questions: 'sets/sums.jsonl' },
    line('1/s', 'base', 'q0', false),
    line('1/s', 'base', 'q1', true),
    line('2/s', 'base', 'q0', false),
    line('1/s', 'new', 'q0', true),
    line('1/s', 'new', 'q1', false, 'futile'),
    line('2/s', 'new', 'q0', true),
    line('3/s', 'new', 'q1', true),
  ]);
  writeLines('other.jsonl', [
    { questions: 'more.jsonl' },
    line('1/s', 'base', 'q0', true),
    line('1/s', 'new', 'q0', true),
  ]);
  expect(await pool(['new', 'base', at('p0.jsonl'), at('other.jsonl')])).toBe(0);
  expect(said.map((each) => each.replace(/ \[.*\]/, ''))).toEqual([
    'sums.jsonl: 0.0 points; 3 pairs of 2 questions',
    'more.jsonl: too few questions',
    'all: 0.0 points; 4 pairs of 3 questions',
    'sums.jsonl, ended as accepted: 2, 2 right for 0, 0.50 of the tokens',
    'sums.jsonl, ended as futile: 1, 0 right for 1, 0.50 of the tokens',
    'more.jsonl, ended as accepted: 1, 1 right for 1, 0.50 of the tokens',
  ]);
  // In a file of its own, too: q0 is won, q1 as right as before.
  writeLines('alone.jsonl', [
    { questions: 'sets/sums.jsonl' },
    line('1/s', 'beam', 'q0', true),
    line('1/s', 'beam', 'q1', true),
  ]);
  said.length = 0;
  await pool(['beam', 'base', `${at('alone.jsonl')},${at('p0.jsonl')}`]);
  expect(said[0]).toMatch(/^sums.jsonl: 50.0 \[.*\] points; 2 pairs of 2 questions$/);
  await expect(pool(['new', 'nobody', at('p0.jsonl')])).rejects.toThrow(
    "no load of these files has both 'new' and 'nobody'",
  );
  await expect(pool(['new', 'base', at('nowhere.jsonl')])).rejects.toThrow(/cannot read .*nowhere.jsonl/);
  await expect(pool(['new'])).rejects.toThrow('which of what, in which files?');
});
