import { expect, it } from 'vitest';
import { ownModel } from './model-by-name.ts';
import { noteFor } from './scorer-note.ts';

const sapling = { config: ownModel({}), note: 'sapling, scored by sapling-prm, lines checked, 2 threads' };

it('names what scored the answer of this question, not what else is open', () => {
  expect(noteFor(sapling, 'make 24 from 4 7 8 8')).toBe(
    'sapling, scored by the checker of its task (countdown), 2 threads',
  );
  const story = 'Ben has 17 coins. He loses 9 coins. He buys 3 more coins. How many coins are left?';
  expect(noteFor(sapling, story)).toBe(
    'sapling, lines scored by the checker of its task (word-problem), answers by sapling-prm, 2 threads',
  );
  expect(noteFor({ ...sapling, note: 'own, scored by a judge' }, story)).toBe('own, scored by a judge');
});
