import { hazardFeatures, parseCalibration, type Served } from 'coppice/internals';
import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { printed } from '../experiment/table.ts';
import { contenderOf } from '../sim/contenders.ts';
import { runTrial, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import { fairness, slowdownsOf } from './fairness.ts';
import { type HazardStudy, hazard } from './hazard.ts';

const size = { budget: 4, rollouts: 8, threshold: 0.65 };
const pool = { run: async (spec: TrialSpec) => runTrial(spec) };

it('calibrates on notes of every setting, and says what one does on another', async () => {
  const settings = ['math500/8b', 'math500/14b'] as const;
  const plan = { ...planDefaults, ...size, settings, seeds: [1, 2], requests: 20, lossBudget: 100 };
  const { found } = await measureAll(hazard, plan, { pool });
  const { body, data, files } = hazard.report(found, plan);
  const study = data as HazardStudy;
  if ('refused' in study.pooled) throw new Error(study.pooled.refused);
  expect(study.transfers.map(({ from, to }) => `${from} on ${to}`)).toEqual([
    'math500/8b on math500/14b',
    'math500/14b on math500/8b',
  ]);
  expect(printed(body, 'markdown')).toMatch(/\| all settings \| 0\.\d+ \|/);
  const file = parseCalibration('f', files![0]!.text);
  // Read by `fast` alone: with a threshold of 1 every search ends with its first path.
  const [section] = file.sections;
  if (section?.kind !== 'hazard') throw new Error('no hazard');
  const weights = Object.fromEntries(hazardFeatures.map((name) => [name, 0])) as typeof section.hazard.weights;
  const hasty = { ...file, sections: [{ ...section, hazard: { bias: -9, weights, below: 1 } }] };
  const exitsOf = (row: string) => {
    const arrivals = { kind: 'backlog' } as const;
    const spec = {
      ...trialDefaults,
      ...size,
      setting: 'math500/8b',
      requests: 12,
      arrivals,
      calibration: hasty,
    } as const;
    return new Set(runTrial({ ...spec, contender: contenderOf(row) }).served.map(({ exit }) => exit));
  };
  expect(exitsOf('fast')).toEqual(new Set(['accepted', 'settled']));
  for (const row of ['safe', 'fast:settledExit=off', 'boost']) expect(exitsOf(row)).not.toContain('settled');
});

const served = (arrivalMs: number, endedMs: number): Served => {
  const end = { tokens: 1, rollouts: 1, correct: true, exit: 'accepted', difficulty: 1 } as const;
  return { arrivalMs, admittedMs: arrivalMs, endedMs, ...end };
};

it('compares a request in company with itself alone', () => {
  const alone = Array.from({ length: 10 }, (_, at) => served(0, 100 * (at + 1)));
  const together = alone.map(({ endedMs }, at) => served(50, 50 + endedMs * (at === 9 ? 8 : 2)));
  expect(slowdownsOf(together, alone)).toEqual({ p50: 2, p90: 8, p99: 8 });
});

it('runs every policy alone and at every load, and refuses a load without its yardstick', async () => {
  const load = { name: '1p', factor: 1, of: 'positive' } as const;
  const chosen = { settings: ['math500/8b'], rows: ['positive'], seeds: [1], requests: 12, loads: [load] } as const;
  const plan = { ...planDefaults, ...size, ...chosen };
  const { found } = await measureAll(fairness, plan, { pool });
  expect(found).toMatchObject([{ result: { setting: 'math500/8b', row: 'positive', load: '1p' } }]);
  expect(found[0]!.result.p50).toBeGreaterThanOrEqual(1);
  expect(printed(fairness.report(found, plan).body, 'markdown').split('\n')[2]).toMatch(
    /^\| math500\/8b \| 1p \| positive \| [\d. |]+\|$/,
  );
  const clock = { ...load, name: '2/s', of: 'clock' } as const;
  expect(() => fairness.cells({ ...plan, loads: [clock] })).toThrow(/multiple of p/);
});
