import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { printed } from '../experiment/table.ts';
import type { Served } from '../service/index.ts';
import { runTrial, type TrialSpec } from '../sim/trial.ts';
import { fairness, slowdownsOf } from './fairness.ts';

const size = { budget: 4, rollouts: 8, threshold: 0.65 };
const pool = { run: async (spec: TrialSpec) => runTrial(spec) };

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
