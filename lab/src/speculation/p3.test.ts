import { type SettingName, sumOfGuesses } from 'coppice/internals';
import { expect, test } from 'vitest';
import { companyLines, speculationLines } from './p3.ts';
import { companyTable, speculationFigure, speculationTable } from './p3-report.ts';

const plan = {
  base: 'positive',
  loads: [],
  rollouts: 8,
  threshold: 0.65,
  verifierReuses: true,
  settings: ['math500/8b' as SettingName],
  seeds: [31],
  roofline: undefined,
  trees: undefined,
};

test('every kind of program ends sooner with speculation, with the same outcomes', () => {
  const rows = ['vanilla', 'positive:expansion=lazy', 'beam'];
  const lines = speculationLines({ ...plan, rows, budget: 16, requests: 6 });
  expect(lines).toHaveLength(rows.length * 4);
  for (const { speculate, different, meanGain, byDistance, byDepth } of lines) {
    expect(different).toBe(0);
    if (speculate === 0) continue;
    expect(meanGain).toBeGreaterThan(1);
    expect(byDistance[0]!.right).toBeGreaterThan(0);
    expect(sumOfGuesses(byDepth)).toEqual(sumOfGuesses(byDistance));
  }
  expect(speculationTable(lines).split('\n')).toHaveLength(2 + lines.length);
  const { svg } = speculationFigure(lines, [], 'a note');
  for (const row of rows) expect(svg).toContain(`>${row}<`);
  expect(svg).toContain('Guesses right, %, breadth-first');
});

test('several searches at a time are done sooner with speculation', () => {
  const lines = companyLines({ ...plan, rows: ['vanilla'], budget: 64, requests: 20 });
  const [few, many] = lines.map(({ perMinute, perMinuteWithout }) => perMinute / perMinuteWithout) as [number, number];
  expect(lines.map(({ together }) => together)).toEqual([4, 16]);
  expect(few).toBeGreaterThan(1.2);
  expect(many).toBeGreaterThan(1);
  expect(companyTable(lines).split('\n')).toHaveLength(4);
});
