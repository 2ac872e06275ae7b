// The commands of the embedded engine as a user runs them: ask, replay, bench and doctor, with good and bad input.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTinyModel } from '../support/tiny-gguf.ts';

let folder: string;
let model: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-cli-'));
  model = join(folder, 'tiny.gguf');
  writeTinyModel(model, { kind: 'random', seed: 2 });
});

afterAll(() => rmSync(folder, { recursive: true }));

type Ran = { readonly status: number; readonly output: string; readonly errors: string };

function coppice(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['packages/coppice/src/cli/main.ts', ...args], (error, output, errors) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), output, errors });
    });
  });
}

const small = [
  '--set',
  'delimiters=\\n',
  '--set',
  'stepTokens=8',
  '--rollouts',
  '3',
  '--branching',
  '2',
  '--set',
  'stepPrompt=',
];

describe('coppice ask', () => {
  it('answers in words, without a terminal in plain lines of at most 100 columns', async () => {
    const { status, output } = await coppice('ask', 'hello', '--model', model, ...small);
    expect(status).toBe(3); // nothing in its answers can be compared
    // A note may be wrapped at any word.
    expect(output.replace(/\s+/g, ' ')).toContain('without a reward model: samples vote, and nothing scores them');
    expect(output).toMatch(/^stopped {2}\w+: /m);
    expect(output).toMatch(/^cost {5}\d+ tokens generated/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may come through from the model
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it('answers as JSON, writes a trace, and replays it to the same tree', async () => {
    const trace = join(folder, 'trace.jsonl');
    const asked = await coppice('ask', 'hello', '--model', model, '--prm', model, ...small, '--json', '--trace', trace);
    const record = JSON.parse(asked.output) as { nodes: number; exit: { kind: string }; path: unknown[] };
    expect(record.path.length).toBeGreaterThan(0);
    const events = readFileSync(trace, 'utf8').trim().split('\n');
    const replayed = await coppice('replay', trace);
    expect(replayed.output.trim().split('\n')).toHaveLength(events.length);
    expect(replayed.output).toContain(`the search ended: ${record.exit.kind}`);
    const last = await coppice('replay', trace, '--at', String(events.length - 1));
    expect(last.output.trim().split('\n')).toHaveLength(record.nodes); // the root is not drawn, the title is
  });

  it('gives the same tree for the same seed', async () => {
    const run = () =>
      coppice('ask', 'hello', '--model', model, '--prm', model, ...small, '--policy', 'vanilla', '--json');
    const [first, second] = (await Promise.all([run(), run()])).map(({ output }) => JSON.parse(output));
    expect(second).toMatchObject({ text: first.text, score: first.score, nodes: first.nodes });
  });

  it('explains bad input in one line', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['ask'], /there is no question/],
      [['ask', 'x', '--model', '/nonexistent.gguf'], /there is no model file/],
      [['ask', 'x', '--model', 'package.json'], /is not a GGUF file/],
      [['ask', 'x', '--rollouts', '0'], /--rollouts is 0; it must be/],
      [['ask', 'x', '--program', 'magic'], /--program is 'magic'/],
      [['ask', 'x', '--temperature=-1'], /--temperature is -1; it must be/],
      [['ask', 'x', '--nonsense'], /nonsense/],
      [['replay', 'package.json'], /is not JSON|is not a trace/],
      [['bench', '--questions', '/nonexistent.jsonl'], /cannot read/],
      [['bench', '--range', '5'], /--range is '5'/],
    ];
    const results = await Promise.all(cases.map(([args]) => coppice(...args)));
    for (const [at, { status, errors }] of results.entries()) {
      expect(errors).toMatch(cases[at]![1]);
      expect(status).toBe(2);
    }
  });
});

describe('coppice bench', () => {
  it('prints one table, and takes an interrupted run up again', async () => {
    const questions = join(folder, 'questions.jsonl');
    const lines = [...Array(4).keys()].map((id) => JSON.stringify({ id, question: `question ${id}`, answer: '1' }));
    writeFileSync(questions, lines.join('\n'));
    const kept = join(folder, 'kept.jsonl');
    const args = ['--model', model, '--prm', model, '--questions', questions, '--rollouts', '2', '--branching', '2'];
    const run = () =>
      coppice('bench', ...args, '--programs', 'greedy,best-of-n,mcts', '--policies', 'positive', '--resume', kept);
    const first = await run();
    expect(first.output).toMatch(/^greedy .*\n^best-of-2 .*\n^mcts positive /m);
    expect(first.output).toMatch(/^against best-of-\d+, which takes the tokens of mcts positive/m);
    for (const line of first.output.split('\n').slice(1, 6)) expect(line.length, line).toBeLessThanOrEqual(80);
    const trials = readFileSync(kept, 'utf8');
    const begun = trials.split('\n').slice(0, 7);
    writeFileSync(kept, begun.join('\n').concat('\n'));
    const again = await run();
    expect(again.status).toBe(0);
    // How many sizes of best-of-n are tried depends on tokens, and those on rounding in shared batches: the rest may differ.
    const whole = readFileSync(kept, 'utf8').trim().split('\n');
    expect(whole.slice(0, 7)).toEqual(begun);
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(3 * lines.length);
    const other = await coppice('bench', ...args, '--seed', '2', '--resume', kept);
    expect(other.errors).toMatch(/holds trials of other settings/);
  });
});
