// Hand-worked decisions of the two lost ways to share a budget, beside those of the product on the same searches.

import { createScheduler, type RunningSearch, type Snapshot } from 'coppice';
import { expect, test } from 'vitest';
import { boostingRoom, preemptEagerly } from './algorithm-1-letter.ts';

function running(id: string, more: Partial<RunningSearch> = {}): RunningSearch {
  const still = { openStrands: 1, observations: 1, progress: 0, demand: 16, rolloutsLeft: 16 };
  const width = { primary: 1, speculative: 0 };
  return { id, arrivalMs: 0, naturalWidth: 1, width, ...still, ...more };
}

function waiting(id: string): Snapshot['waiting'][number] {
  return { id, turn: 0, naturalWidth: 1 };
}

function decide(seams: Parameters<typeof createScheduler>[3], snapshot: Partial<Snapshot>) {
  const given = { nowMs: 1000, budget: 8, waiting: [], running: [], ...snapshot };
  const { admit, widths, preempt } = createScheduler('boost', {}, {}, seams).decide(given);
  const primary = Object.fromEntries([...widths].map(([id, width]) => [id, width.primary]));
  return { admit, widths: primary, preempt: Object.fromEntries(preempt) };
}

test('eager preemption takes back at once what is above its share, which else shifts as strands end', () => {
  const full = [running('a', { openStrands: 5 }), running('b', { openStrands: 3, arrivalMs: 900 })];
  expect(decide({}, { running: full })).toMatchObject({ widths: { a: 5, b: 1 }, preempt: {} });
  expect(decide({ preempt: preemptEagerly }, { running: full })).toMatchObject({
    widths: { a: 7, b: 1 },
    preempt: { b: 2 },
  });
});

test('boosting first: the running take all they can use, the waiting wait', () => {
  const crowd = { running: [running('a'), running('b')], waiting: [waiting('c'), waiting('d')] };
  expect(decide({}, crowd).admit).toEqual(['c', 'd']);
  expect(decide({ room: boostingRoom }, crowd)).toEqual({ admit: [], widths: { a: 4, b: 4 }, preempt: {} });
  const modest = crowd.running.map((each) => ({ ...each, demand: 3 }));
  expect(decide({ room: boostingRoom }, { ...crowd, running: modest }).admit).toEqual(['c', 'd']);
});
