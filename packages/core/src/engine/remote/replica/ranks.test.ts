import { expect, it } from 'vitest';
import { Ranks } from './replica.ts';

it('keeps a search with its rank, and gives a new one the rank with the fewest', () => {
  const ranks = new Ranks();
  const homes = new Set(['a', 'b', 'c']);
  expect(['a', 'b', 'c'].map((search) => ranks.of(search, 2, homes))).toEqual([0, 1, 0]);
  expect(['a', 'b', 'c'].map((search) => ranks.of(search, 2, homes))).toEqual([0, 1, 0]);
});

it('gives the searches of a session one rank, unless that has far more than its share', () => {
  const ranks = new Ranks();
  const names = Array.from({ length: 12 }, (_, at) => `s${at}`);
  const homes = new Set(names);
  const session = { route: 'r' };
  const given = names.map((search) => ranks.of(search, 4, homes, session));
  expect(new Set(given.slice(0, 3)).size).toBe(1);
  expect(new Set(given).size).toBe(4);
});

it('forgets searches that live here no more, and ranks that are gone', () => {
  const ranks = new Ranks();
  const homes = new Set(['a', 'b']);
  for (const search of homes) ranks.of(search, 2, homes);
  expect(ranks.of('c', 2, new Set(['b', 'c']))).toBe(0);
  expect(ranks.of('b', 1, new Set(['b', 'c']))).toBe(0);
});
