import { expect, it } from 'vitest';
import { Ranks } from './ranks.ts';

it('keeps a search with its rank, and gives a new one the rank with the fewest', () => {
  const ranks = new Ranks();
  const homes = new Set(['a', 'b', 'c']);
  expect(['a', 'b', 'c'].map((search) => ranks.of(search, 2, homes))).toEqual([0, 1, 0]);
  expect(['a', 'b', 'c'].map((search) => ranks.of(search, 2, homes))).toEqual([0, 1, 0]);
});

it('forgets searches that live here no more, and ranks that are gone', () => {
  const ranks = new Ranks();
  const homes = new Set(['a', 'b']);
  for (const search of homes) ranks.of(search, 2, homes);
  expect(ranks.of('c', 2, new Set(['b', 'c']))).toBe(0);
  expect(ranks.of('b', 1, new Set(['b', 'c']))).toBe(0);
});
