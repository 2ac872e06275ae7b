import { expect, test } from 'vitest';
import type { LoggedEvent } from '../../log/events.ts';
import { rootKey } from '../../tree/keys.ts';
import type { SettingName } from '../sim/settings.ts';
import { GhostCount } from './ghost-count.ts';
import { speculationLines, speculationTable } from './p3.ts';

const step = { text: 'a', tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;

test('a ghost is right when it becomes a child, and is counted by how far ahead of the tree it was grown', () => {
  const count = new GhostCount();
  const say = (event: object) => count.read({ search: 's', sequence: 0, atMs: 0, event } as LoggedEvent);
  const ghost = (key: number, parentKey: number, index: number) =>
    say({ type: 'ghosted', key, parentKey, index, step, form: 0, terminal: false });
  ghost(11, rootKey, 0);
  ghost(12, rootKey, 1);
  ghost(21, 11, 0);
  ghost(22, 12, 0);
  ghost(31, 21, 0);
  say({ type: 'adopted', node: 1, parent: 0, index: 0 });
  say({ type: 'adopted', node: 2, parent: 1, index: 0 });
  ghost(32, 21, 1);
  say({ type: 'adopted', node: 3, parent: 2, index: 5 });
  expect(count.byDistance).toEqual([
    { guessed: 3, right: 1 },
    { guessed: 2, right: 1 },
    { guessed: 1, right: 0 },
  ]);
});

test('every kind of program ends sooner with speculation, with the same outcomes', () => {
  const plan = { base: 'positive', loads: [], rollouts: 8, threshold: 0.65, verifierReuses: true } as const;
  const rows = ['vanilla', 'positive:expansion=lazy', 'beam'];
  const place = { settings: ['math500/8b' as SettingName], seeds: [31] };
  const lines = speculationLines({
    ...plan,
    ...place,
    rows,
    budget: 16,
    requests: 6,
    roofline: undefined,
    trees: undefined,
  });
  expect(lines).toHaveLength(rows.length * 4);
  for (const { speculate, different, meanGain, guesses } of lines) {
    expect(different).toBe(0);
    if (speculate === 0) continue;
    expect(meanGain).toBeGreaterThan(1);
    expect(guesses[0]!.right).toBeGreaterThan(0);
  }
  expect(speculationTable(lines).split('\n')).toHaveLength(2 + lines.length);
});
