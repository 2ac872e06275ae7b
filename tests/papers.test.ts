// docs/papers.md and lab/docs/papers-in-code.md send a reader who has a paper in hand to a file and a function: both must be there.

import { expect, it } from 'vitest';
import { textOf, trackedFiles } from './support/source-files.ts';

const rows = ['docs/papers.md', 'lab/docs/papers-in-code.md']
  .flatMap((page) => textOf(page).split('\n'))
  .filter((line) => line.startsWith('| '));
const named = (text: string | undefined, pattern: RegExp) =>
  [...(text ?? '').matchAll(pattern)].map(([, name = '']) => name);
const fileOf = (name: string) => (/^(lab|packages)\//.test(name) ? name : `packages/core/src/${name}`);

it('names files that exist', () => {
  const files = rows.flatMap((row) => named(row, /`([\w./-]+\.ts)`/g));
  expect(files.length).toBeGreaterThan(60);
  expect(files.filter((file) => !trackedFiles.includes(fileOf(file)))).toEqual([]);
});

it('names functions that stand in those files', () => {
  const absent = rows.flatMap((row) => {
    const [, , , files, functions] = row.split('|');
    const text = named(files, /`([\w./-]+\.ts)`/g)
      .map((file) => textOf(fileOf(file)))
      .join('\n');
    return named(functions, /`([A-Za-z][\w.]*)`/g).filter((name) => !text.includes(name.split('.').at(-1)!));
  });
  expect(absent).toEqual([]);
});
