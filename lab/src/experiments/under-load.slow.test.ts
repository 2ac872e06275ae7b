// Speculation delays no search under load: in settings drawn at random the times with it are no longer than without. A few of them here;
// the published size is `npm run lab -- sim --experiment under-load`.

import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { printed } from '../experiment/table.ts';
import { runTrial, type TrialSpec } from '../sim/trial.ts';
import { loadBlocks, mostHarm, overall, underLoadExperiment } from './under-load.ts';

it('serves no slower with speculation than without', async () => {
  const cells = [0, 1].map((at) => ({ seed: 801, at, requests: 30 }));
  const pool = { run: async (spec: TrialSpec) => runTrial(spec) };
  const { found } = await measureAll({ ...underLoadExperiment, cells: () => cells }, planDefaults, { pool });
  const verdicts = found.map(({ result }) => result);
  expect(verdicts).toHaveLength(cells.length);
  expect(overall(verdicts.map(({ p50 }) => p50)).value).toBeLessThanOrEqual(mostHarm);
  expect(overall(verdicts.map(({ p99 }) => p99)).value).toBeLessThanOrEqual(mostHarm);
  expect(printed(loadBlocks(verdicts, 2), 'text').split('\n').at(-1)).toContain('speculate');
});
