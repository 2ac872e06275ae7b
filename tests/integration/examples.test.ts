// The pages that show examples, word for word; examples.slow.test.ts runs them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as library from '../../packages/coppice/src/index.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples');
const examples = readdirSync(folder).filter((file) => file.endsWith('.ts'));

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
