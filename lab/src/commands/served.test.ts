import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { runGateway } from '../../../tests/support/running-gateway.ts';
import { run } from './served.ts';

/** A question whose four samples are right. */
function recorded(folder: string): string {
  const head = { format: 'coppice-trees', version: 1, model: 'm', modelHash: '', verifier: 'v', samples: 4, seed: 1 };
  const step = { text: 's', tokens: 10, meanLogprob: 0, end: 'eos' };
  const end = { step, reward: 0.9, answer: '1', right: true, draws: [] };
  const nodes = [{ draws: [1, 2, 3, 4] }, ...Array.from({ length: 4 }, () => end)];
  const file = join(folder, 'sums.trees');
  writeFileSync(file, `${JSON.stringify(head)}\n${JSON.stringify({ question: 'q', promptTokens: 1, nodes })}\n`);
  return file;
}

it('asks a gateway at random moments, keeps every answer and asks no cell twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'served-'));
  const questions = join(folder, 'questions.jsonl');
  writeFileSync(questions, [1, 2, 3].map((at) => `{"id": "${at}", "question": "${at}?", "answer": "5"}\n`).join(''));
  const script = () => ({ text: 'The answer is 5.', end: 'eos' }) as const;
  const { url, engine } = await runGateway({ scripted: { script }, verifier: 'none' });
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => printed.push(line));
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const file = join(folder, 'kept.jsonl');
  const ask = (...rest: string[]) =>
    run([file, '90/s', '--url', `${url}/v1`, '--models', 'm', '--questions', questions, ...rest]);
  expect(await ask()).toBe(0);
  const asked = engine.asked.length;
  expect(await ask()).toBe(0);
  expect(engine.asked).toHaveLength(asked);
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  expect(head).toContain('questions.jsonl');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject(Array(3).fill({ contender: 'm', correct: true }));
  expect(printed.join('\n')).toMatch(/100\.0 % right[\s\S]*90\/s m: \d+\.\d samples; \w+ 100\.0 % \(right 100\.0 %\)/);
  // Broken off in the middle of a line: only what is missing is asked.
  writeFileSync(file, `${[head, lines[0]].join('\n')}\n{"contender":"m","lo`);
  expect(await ask('--replay', recorded(folder), '--within', '60')).toBe(0);
  expect(printed.at(-1)).toBe('holds 90 a second');
  expect(printed.at(-2)).toMatch(/^90\.00 a second, m: 3 answers of 1 seeds, .* points over 100\.0 % of replayed/);
  const whole = readFileSync(file, 'utf8').trim().split('\n');
  expect(whole).toHaveLength(5);
  expect(whole.slice(3).map((line) => JSON.parse(line).question)).not.toContain(JSON.parse(lines[0]!).question);
  expect(await ask('--name', 'hasty', '--body', '{"coppice": {"deadline_ms": 1}}')).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('"contender":"m hasty"');
  await expect(run([file, '1p', '--models', 'm', '--questions', questions])).rejects.toThrow(/must be as 3\/s/);
});

it('keeps nothing of questions that got no reply', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'served-'));
  const questions = join(folder, 'questions.jsonl');
  writeFileSync(questions, '{"id": "1", "question": "1?", "answer": "5"}\n');
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const file = join(folder, 'kept.jsonl');
  // The port of `discard`, where nothing listens on loopback.
  const absent = ['--url', 'http://127.0.0.1:9/v1', '--models', 'm', '--questions', questions];
  expect(await run([file, '90/s', ...absent])).toBe(1);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1);
});
