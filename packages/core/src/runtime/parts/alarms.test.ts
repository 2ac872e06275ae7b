import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { Search } from '../search/search.ts';
import { Alarms } from './alarms.ts';
import { SearchTable } from './searches.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const search = (id: string) => ({ id }) as Search;

it('rings for live searches alone, each alarm once, the earliest first', () => {
  const searches = new SearchTable({});
  const alarms = new Alarms(searches);
  for (const [id, atMs] of [
    ['late', 30],
    ['over', 10],
    ['early', 20],
  ] as const) {
    searches.live.set(id, search(id));
    alarms.set(atMs, searches.live.get(id)!);
  }
  searches.live.delete('over');
  expect(alarms.nextMs()).toBe(20);
  expect(alarms.takeDue(30).map(({ id }) => id)).toEqual(['early', 'late']);
  expect(alarms.takeDue(30)).toEqual([]);
});

it('keeps nothing of a search that ended before a far deadline', async () => {
  const searches = new SearchTable({});
  const alarms = new Alarms(searches);
  const seen = (() => {
    const ended = search('ended');
    searches.live.set('ended', ended);
    alarms.set(600_000, ended);
    searches.live.delete('ended');
    return new WeakRef(ended);
  })();
  // A WeakRef holds on until the end of the turn that made it.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(seen.deref()).toBeUndefined();
  expect(alarms.nextMs()).toBeUndefined();
});
