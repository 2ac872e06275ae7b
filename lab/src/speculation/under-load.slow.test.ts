// Speculation hurts nobody under load: in settings drawn at random the times with it are no longer than without. A few of them here;
// the published size is `npm run lab -- sim --experiment under-load`.

import { expect, it } from 'vitest';
import { runTrial, type TrialResult, type TrialSpec } from '../sim/trial.ts';
import { type LoadVerdict, underLoad } from './under-load.ts';
import { loadLines, mostHarm, overall } from './under-load-report.ts';

const serially = {
  run: async (specs: readonly TrialSpec[], onResult: (at: number, result: TrialResult) => void = () => {}) =>
    specs.map((spec, at) => {
      const result = runTrial(spec);
      onResult(at, result);
      return result;
    }),
};

it('serves no slower with speculation than without', async () => {
  const verdicts: LoadVerdict[] = [];
  const settings = [0, 1, 3].map((at) => ({ seed: 801, at, requests: 60 }));
  await underLoad(settings, serially, (_, verdict) => verdicts.push(verdict));
  expect(verdicts).toHaveLength(settings.length);
  expect(overall(verdicts.map(({ p50 }) => p50)).value).toBeLessThanOrEqual(mostHarm);
  expect(overall(verdicts.map(({ p99 }) => p99)).value).toBeLessThanOrEqual(mostHarm);
  expect(loadLines(verdicts, 2).at(-1)).toContain('speculate');
});
