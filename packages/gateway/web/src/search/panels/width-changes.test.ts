import { expect, it } from 'vitest';
import type { LoggedEvent, SearchEvent } from '../../../../../core/src/log/events.ts';
import { widthChanges } from './width-changes.ts';

function logOf(...events: readonly (readonly [atMs: number, event: SearchEvent])[]): LoggedEvent[] {
  return events.map(([atMs, event], sequence) => ({ search: 's', sequence, atMs, event }));
}

const boost = { rule: 'boost', base: 1, target: 4, score: 0.41 };
const taken = { rule: 'boost', base: 1, target: 2, score: 0.2, taken: 2, othersLack: 3 };

it('lists changes one by one, and strands that were taken at once as one change', () => {
  const log = logOf(
    [0, { type: 'width', primary: 1, speculative: 0 }],
    [5, { type: 'admitted' }],
    [9, { type: 'width', primary: 4, speculative: 1, why: boost }],
    [20, { type: 'preempted', strand: 3, why: taken }],
    [20, { type: 'preempted', strand: 4, why: taken }],
    [20, { type: 'width', primary: 2, speculative: 0, why: taken }],
    [30, { type: 'preempted', strand: 5, why: taken }],
  );
  expect(widthChanges(log)).toEqual([
    { atMs: 0, from: 0, to: 1, taken: 0, why: undefined },
    { atMs: 9, from: 1, to: 5, taken: 0, why: boost },
    { atMs: 20, from: 5, to: 2, taken: 2, why: taken },
    { atMs: 30, from: 2, to: 2, taken: 1, why: taken },
  ]);
});
