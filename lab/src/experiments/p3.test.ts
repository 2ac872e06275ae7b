import { sumOfGuesses } from '@coppice/core/log';
import { expect, test } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { svgOf } from '../experiment/svg.ts';
import { runTrial, type TrialSpec } from '../sim/trial.ts';
import type { CompanyLine, SpeculationLine } from '../speculation/speculation-lines.ts';
import { p3 } from './p3.ts';

const plan = { ...planDefaults, rollouts: 8, settings: ['math500/8b'], seeds: [31] } as const;
const pool = { run: async (spec: TrialSpec) => runTrial(spec) };

test('every kind of program ends sooner with speculation, with the same outcomes', async () => {
  const rows = ['vanilla', 'best-first+positive', 'beam'];
  const asked = { ...plan, rows, budget: 16, requests: 3 };
  const { found } = await measureAll(p3, asked, { pool });
  const { data, body, charts } = p3.report(found, asked);
  const { lines } = data as { lines: SpeculationLine[] };
  expect(lines).toHaveLength(rows.length * 4);
  for (const { speculate, different, meanGain, byDistance, byDepth } of lines) {
    expect(different).toBe(0);
    if (speculate === 0) continue;
    expect(meanGain).toBeGreaterThan(1);
    expect(byDistance[0]!.right).toBeGreaterThan(0);
    expect(sumOfGuesses(byDepth)).toEqual(sumOfGuesses(byDistance));
  }
  expect(body[1]).toMatchObject({ groups: [{ rows: lines.map(() => expect.anything()) }] });
  const svg = svgOf(charts![0]!.chart);
  for (const row of rows) expect(svg).toContain(`>${row}<`);
  expect(svg).toContain('Guesses right, %, breadth-first');
});

test('several searches at a time are done sooner with speculation', async () => {
  const asked = { ...plan, rows: ['vanilla'], budget: 64, requests: 16 };
  const { found } = await measureAll(p3, asked, { pool });
  const { company } = p3.report(found, asked).data as { company: CompanyLine[] };
  const [few, many] = company.map(({ perMinute, perMinuteWithout }) => perMinute / perMinuteWithout) as [
    number,
    number,
  ];
  expect(company.map(({ together }) => together)).toEqual([4, 16]);
  expect(few).toBeGreaterThan(1.2);
  expect(many).toBeGreaterThan(1);
});
