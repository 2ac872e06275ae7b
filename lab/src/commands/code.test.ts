// `code` from end to end, against a chat server whose answers are scripted: one task is solved at once, the other only by a repair.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnsweringServer } from '../../../tests/servers/answering-server.ts';
import { hasPython } from '../../../tests/support/judged-answers.ts';
import type { CodeLine } from '../real/code-search.ts';
import { run as code } from './code.ts';

let folder: string;
let server: AnsweringServer;
let said: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-lab-'));
  server = await new AnsweringServer({ model: 'scripted' }).listen();
  server.answer = (question) => {
    if (question.includes('double')) return '```python\ndef twice(n): return 2 * n\n```';
    return `\`\`\`python\ndef add(a, b): return a ${question.includes('it gave') ? '+' : '-'} b\n\`\`\``;
  };
  said = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    said.push(String(line));
  });
  const tests = (name: string, ...pairs: string[]) => pairs.map((pair) => `assert ${name}(${pair}`);
  const mbpp = [
    { task_id: 11, text: 'Write a function to double.', test_list: tests('twice', '1) == 2', '4) == 8', '5) == 10') },
    {
      task_id: 12,
      text: 'Write a function to add.',
      test_list: tests('add', '1, 2) == 3', '40, 2) == 42', '3, 0) == 3'),
    },
    { task_id: 13, text: 'Write nothing.', test_list: ['assert True'] },
  ];
  writeLines(
    'mbpp.jsonl',
    mbpp.map((task) => ({ ...task, test_setup_code: '' })),
  );
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function at(name: string): string {
  return join(folder, name);
}

function writeLines(name: string, lines: readonly object[]): void {
  writeFileSync(at(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function asked(): string[] {
  const machine = ['--engine', `${server.url}/v1`, '--model', 'scripted', '--concurrency', '3', '--sandbox', 'limits'];
  return [at('code.jsonl'), '--questions', at('mbpp.jsonl'), ...machine, '--seeds', '1,2', '--rollouts', '4'];
}

function kept(): CodeLine[] {
  return readFileSync(at('code.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
}

describe.runIf(hasPython)('code', () => {
  it('grades by tests that reach no prompt, keeps a search a line, and goes on behind them', async () => {
    expect(await code(asked())).toBe(0);
    const found = kept().map(({ program, seed, question, right }) => `${program} ${seed} ${question} ${right}`);
    expect(found.toSorted()).toEqual([
      'best-of-n 1 MBPP/11 true',
      'best-of-n 1 MBPP/12 false',
      'best-of-n 2 MBPP/11 true',
      'best-of-n 2 MBPP/12 false',
      'refine 1 MBPP/11 true',
      'refine 1 MBPP/12 true',
      'refine 2 MBPP/11 true',
      'refine 2 MBPP/12 true',
    ]);
    const repaired = kept().find(({ program, question }) => program === 'refine' && question === 'MBPP/12');
    expect(repaired!.answers).toMatchObject([
      { depth: 1, score: 0, right: false },
      ...repaired!.answers.slice(1, -1),
      { depth: 2, score: 1, right: true },
    ]);
    const bodies = server.seen.map(({ body }) => JSON.stringify(body));
    expect(bodies.some((body) => body.includes('add(1, 2) == 3'))).toBe(true);
    expect(bodies.filter((body) => /== 42|== 8/.test(body))).toEqual([]);
    expect(said.at(-1)).toContain('refine against best-of-n: 50.0 points [');
    await code(asked());
    expect([server.seen.length, kept().length]).toEqual([bodies.length, 8]);
    await expect(code([...asked(), '--temperature', '1'])).rejects.toThrow('holds searches of other settings');
  });
});

it('writes tasks with the runner for other programs, and says what is missing', async () => {
  expect(await code([at('code.jsonl'), '--questions', at('mbpp.jsonl'), '--write', at('tasks.jsonl')])).toBe(0);
  const [head, ...tasks] = readFileSync(at('tasks.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(head!)).toMatchObject({
    runner: expect.stringContaining('json'),
    repair: expect.stringContaining('{feedback}'),
  });
  expect(tasks).toHaveLength(2);
  await expect(code(['--seeds', '1'])).rejects.toThrow('searches go where? npm run lab -- code FILE');
  await expect(code([...asked(), '--ids', '5'])).rejects.toThrow("--ids is '5'");
  await expect(code([...asked(), '--replay', 'often'])).rejects.toThrow('--replay is ');
  await expect(code([at('code.jsonl'), '--questions', at('none.jsonl')])).rejects.toThrow('--questions: cannot read ');
});
