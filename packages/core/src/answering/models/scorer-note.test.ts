import { expect, it } from 'vitest';
import { ownModel } from './model-by-name.ts';
import { noteFor } from './scorer-note.ts';

const sapling = { config: ownModel({}), note: 'sapling, 2 threads', scoredBy: 'sapling-prm' };

it('names what scored the answer of this question, not what else is open', () => {
  expect(noteFor(sapling)).toBe('sapling, 2 threads, scored by sapling-prm, lines checked');
  expect(noteFor(sapling, 'make 24 from 4 7 8 8')).toBe(
    'sapling, 2 threads, scored by the checker of its task (countdown)',
  );
  const story = 'Ben has 17 coins. He loses 9 coins. He buys 3 more coins. How many coins are left?';
  expect(noteFor(sapling, story)).toBe(
    'sapling, 2 threads, lines scored by the checker of its task (word-problem), answers by sapling-prm',
  );
  const unchecked = { ...sapling, config: { ...sapling.config, check: 'none' as const } };
  expect(noteFor({ ...sapling, scoredBy: undefined })).toBe(
    'sapling, 2 threads, without a reward model: samples vote, and nothing scores them',
  );
  expect(noteFor(unchecked, story)).toBe('sapling, 2 threads, scored by sapling-prm');
});
