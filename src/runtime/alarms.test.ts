import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Alarms } from './alarms.ts';
import { Roster } from './roster.ts';
import type { Search } from './search/search.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const search = (id: string) => ({ id }) as Search;

it('rings for live searches alone, each alarm once, the earliest first', () => {
  const roster = new Roster({});
  const alarms = new Alarms(roster);
  for (const [id, atMs] of [
    ['late', 30],
    ['over', 10],
    ['early', 20],
  ] as const) {
    roster.live.set(id, search(id));
    alarms.set(atMs, roster.live.get(id)!);
  }
  roster.live.delete('over');
  expect(alarms.nextMs()).toBe(20);
  expect(alarms.takeDue(30).map(({ id }) => id)).toEqual(['early', 'late']);
  expect(alarms.takeDue(30)).toEqual([]);
});

it('keeps nothing of a search that ended before a far deadline', async () => {
  const roster = new Roster({});
  const alarms = new Alarms(roster);
  const seen = (() => {
    const ended = search('ended');
    roster.live.set('ended', ended);
    alarms.set(600_000, ended);
    roster.live.delete('ended');
    return new WeakRef(ended);
  })();
  // A WeakRef holds on until the end of the turn that made it.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(seen.deref()).toBeUndefined();
  expect(alarms.nextMs()).toBeUndefined();
});
