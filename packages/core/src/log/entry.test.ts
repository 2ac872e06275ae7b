import { expect, test } from 'vitest';
import { entryOf, eventsIn, hasEvent } from './entry.ts';
import type { LoggedEvent, SearchEvent } from './events.ts';
import { SearchFold } from './fold.ts';

const events: SearchEvent[] = [
  { type: 'planted', aggregation: 'product' },
  { type: 'opened', strand: 0, node: 0 },
  { type: 'asked', strand: 0, node: 0, indices: [0, 1], sampling: { temperature: 1 } },
];
const logged = events.map((event): LoggedEvent => ({ search: 's', sequence: 3, atMs: 7, event }));

test('what one step wrote is one entry, and comes apart as it was', () => {
  for (const length of [1, 2, 3]) {
    const entry = entryOf(logged.slice(0, length));
    expect(eventsIn(entry)).toEqual(logged.slice(0, length));
    expect(eventsIn(JSON.parse(JSON.stringify(entry)))).toEqual(logged.slice(0, length));
  }
  expect(entryOf(logged.slice(0, 1))).toBe(logged[0]);
  expect(() => entryOf([])).toThrow('an entry holds an event');
});

test('an entry says which events it holds, and folds as they do one by one', () => {
  const entry = entryOf(logged);
  expect([hasEvent(entry, 'planted'), hasEvent(entry, 'asked'), hasEvent(entry, 'closed')]).toEqual([
    true,
    true,
    false,
  ]);
  const [whole, single] = [new SearchFold(), new SearchFold()];
  whole.apply(entry);
  for (const each of logged) single.apply(each);
  const seen = ({ count, sequence, openStrands, fault }: SearchFold) => ({ count, sequence, openStrands, fault });
  expect(seen(whole)).toEqual({ count: 3, sequence: 3, openStrands: 1, fault: undefined });
  expect(seen(single)).toEqual(seen(whole));
});

test('an event that does not fit ends the fold in the middle of its entry', () => {
  const fold = new SearchFold();
  fold.apply({ ...logged[0]!, more: [{ type: 'moved', strand: 4, node: 0 }, events[1]!] });
  expect(fold.fault).toMatch('event 3 does not fit');
  expect(fold).toMatchObject({ count: 3, openStrands: 0 });
});
