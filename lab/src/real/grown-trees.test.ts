import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTrees } from '../service/index.ts';
import { endsToldApart, firstPassage, type Grown, recordingOf } from './grown-trees.ts';

/** Two first steps; below the first a wrong end of 0.4, then, drawn twice, a right one of 0.64; below the second a wrong end of 0.45. */
const grown: Grown = {
  question: 'q',
  nodes: [
    [0, 10, 800, 1],
    [0, 10, 500, 1],
    [1, 20, 500, 1, '7', 0],
    [1, 5, 800, 2, '8', 1],
    [2, 30, 900, 1, '9', 0],
  ],
};

it('ends at the first answer that reaches the threshold, and pays for what came before it', () => {
  expect(firstPassage(grown, 0.3, 'product')).toEqual({ accepted: true, right: false, tokens: 40 });
  expect(firstPassage(grown, 0.5, 'product')).toEqual({ accepted: true, right: true, tokens: 50 });
});

it('scores a path as the search did', () => {
  expect(firstPassage(grown, 0.7, 'minimum')).toEqual({ accepted: true, right: true, tokens: 50 });
  expect(firstPassage(grown, 0.85, 'last')).toEqual({ accepted: true, right: false, tokens: 80 });
});

it('tells how well last rewards tell the ends of a tree apart', () => {
  expect(endsToldApart([grown, grown])).toEqual({ share: 0.5, pairs: 4 });
});

it('pays for all of the tree and takes the best where no answer reaches it', () => {
  expect(firstPassage(grown, 0.7, 'product')).toEqual({ accepted: false, right: true, tokens: 80 });
});

it('writes trees that the simulator draws from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-grown-'));
  const file = join(folder, 'grown.trees');
  writeFileSync(file, recordingOf('gen', 'prm', 1, [grown]).join('\n'));
  const trees = readTrees(file, 'sim');
  rmSync(folder, { recursive: true });
  const prompt = trees.promptOf(0, 1);
  const drawn = [0, 1].map((index) => trees.draw({ prompt, path: [], seed: index, index } as never));
  expect(drawn.map(({ text }) => text).sort()).toEqual(['1', '2']);
  const first = drawn.find(({ text }) => text === '1')!;
  const path = [{ step: first }] as never;
  expect(trees.reward(prompt, [], first)).toBe(0.8);
  const below = [0, 1, 2].map((index) => trees.draw({ prompt, path, seed: index, index } as never).text).sort();
  expect(below).toEqual(['3 \\boxed{7}', '4 \\boxed{8}', '4 \\boxed{8}']);
  expect(trees.isRight(prompt, '8')).toBe(true);
  expect(trees.isRight(prompt, '7')).toBe(false);
});
