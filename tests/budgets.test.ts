// The sizes that the project has promised to stay within, so that one head can hold it: lines of each package, words of the documentation.
// What is added takes something else out.

import { describe, expect, it } from 'vitest';
import { textOf, trackedFiles } from './support/source-files.ts';

/** Lines at most, without tests, conformance suites and the page. */
const lines: Readonly<Record<string, number>> = {
  core: 29_350,
  gateway: 11_500,
  llama: 7800,
  postgres: 2500,
  papers: 2400,
  coppice: 5700,
  sim: 2000,
};
const allLines = 60_000;

function linesOf(name: string): number {
  return trackedFiles
    .filter((file) => file.startsWith(`packages/${name}/src/`) && /\.ts$/.test(file))
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
}

function wordsOf(pattern: RegExp): number {
  return trackedFiles
    .filter((file) => pattern.test(file))
    .reduce((sum, file) => sum + textOf(file).split(/\s+/).filter(Boolean).length, 0);
}

describe('lines', () => {
  it.each(Object.entries(lines))('of %s are at most %d', (name, most) => {
    expect(linesOf(name)).toBeLessThanOrEqual(most);
  });

  it(`of all packages are at most ${allLines}`, () => {
    const all = Object.keys(lines).map(linesOf);
    expect(all.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(allLines);
  });
});

describe('words', () => {
  it.each([
    ['pages and decisions', /^(README|docs\/.*)\.md$/, 30_000],
    ['decisions', /^docs\/decisions\/.*\.md$/, 8000],
    ["the lab's documents", /^lab\/.*\.md$/, 45_000],
  ] as const)('of %s are at most %3$d', (_, pattern, most) => {
    expect(wordsOf(pattern)).toBeLessThanOrEqual(most);
  });
});
