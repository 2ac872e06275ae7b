// The examples as a stranger runs them, each in a process of its own that imports `coppice` by its name; and the page that
// shows them, word for word.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as library from '../../packages/coppice/src/index.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples');
const examples = readdirSync(folder).filter((file) => file.endsWith('.ts'));

const says: Readonly<Record<string, RegExp>> = {
  'one-question.ts': /^\w+ by mcts: \d+, score [\d.]+\n\d+ steps, \d+ nodes, \d+ rollouts\n$/,
  'many-questions.ts': /^(question \d: \w+ by \w+, \d+ steps, \d+ tokens\n){6}$/,
  'own-program.ts': /^first-step: exhausted, 6 openings, 5 paths\n$/,
  'level-program.ts': /^halving: exhausted, 16 beginnings\n$/,
  'own-exit.ts': /^exhausted by \w+ after \d+ rollouts\ncertain by last-agree after no more\n$/,
  'own-policy.ts': /^thrifty takes fewer tokens, widths by one-more\n$/,
  'second-look.ts': /^second-look: 4 answers, the last with 3 before it\n$/,
  'draft-test-repair.ts': /^accepted with score 1, \d+ repairs of \d+ answers\n$/,
  'tree-rollouts.ts': /^trees [12]\.\d+, flat 1\.00 trained tokens per generated token\n$/,
  'repaired-rollouts.ts': /^3 rollouts, 9\d of their tokens composed\n$/,
  'own-engine-proof.ts': /^trees: its cases hold\n$/,
  'own-parts.ts': /^accepted: 2, score 1\n$/,
};

test.concurrent.each(examples)('%s runs', async (file) => {
  const run = promisify(execFile)(process.execPath, ['--conditions=coppice-source', join(folder, file)]);
  expect((await run).stdout).toMatch(says[file]!);
});

test('a program of one’s own takes fewer than 60 lines', () => {
  const text = readFileSync(join(folder, 'own-program.ts'), 'utf8');
  const program = text.slice(text.indexOf('/** Moves the strand'), text.indexOf('const model ='));
  expect(program.match(/\n/g)?.length).toBeLessThan(60);
});

test.each([
  ['own-exit.ts', 60],
  ['own-policy.ts', 100],
  ['draft-test-repair.ts', 26],
] as const)('%s takes fewer than %d lines', (file, most) => {
  expect(readFileSync(join(folder, file), 'utf8').split('\n').length).toBeLessThan(most);
});

test('what the pages show stands in an example', () => {
  const pages = ['library.md', 'adding-a-program.md'];
  const page = pages.map((name) => readFileSync(join(folder, '..', 'docs', name), 'utf8')).join('\n');
  const shown = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!.trim());
  const texts = examples.map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(shown.length).toBeGreaterThan(2);
  expect(shown.filter((code) => !texts.some((text) => text.includes(code)))).toEqual([]);
});

test('the page names every function and class that is exported, and nothing else is', () => {
  const page = readFileSync(join(folder, '..', 'docs', 'library.md'), 'utf8');
  const [, table = ''] = /<!-- exports -->([\s\S]*?)<!-- \/exports -->/.exec(page) ?? [];
  const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  expect(named.toSorted()).toEqual(Object.keys(library).toSorted());
});
