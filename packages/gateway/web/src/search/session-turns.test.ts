import { expect, it } from 'vitest';
import type { SearchJson } from '../../../src/wire/search-json.ts';
import { mostTurns, sessionTurns } from './session-turns.ts';

const turn = (id: string, key = 'ann') => ({ id, key }) as SearchJson;

it('shows the turns of one key, oldest first, and says if earlier ones are missing', () => {
  const { turns, isCut } = sessionTurns([turn('c'), turn('b', 'bob'), turn('a')], turn('c'));
  expect([turns.map(({ id }) => id), isCut]).toEqual([['a', 'c'], false]);
  expect(
    sessionTurns(
      Array.from({ length: mostTurns }, () => turn('x')),
      turn('x'),
    ).isCut,
  ).toBe(true);
});
