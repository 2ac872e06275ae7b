import { expect, test } from 'vitest';
import type { SettingName } from '../sim/settings.ts';
import { speculationLines, speculationTable } from './p3.ts';

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
