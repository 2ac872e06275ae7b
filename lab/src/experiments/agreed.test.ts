import { expect, it } from 'vitest';
import { readExperiment } from '../commands/experiment-options.ts';
import { measureAll } from '../experiment/runner.ts';
import { runTrial, type TrialSpec } from '../sim/trial.ts';
import { agreedExperiment } from './agreed.ts';

const pool = { run: async (spec: TrialSpec) => runTrial(spec) };

it('counts what recorded searches lose and save by the exit, each recorded question once', async () => {
  const trees = 'lab/recorded/qwen2.5-coder-1.5b-math500.trees.gz';
  const { plan } = readExperiment([
    ...['--experiment', 'agreed', '--trees', trees, '--scoring', 'weighted', '--rollouts', '8'],
  ]);
  expect(agreedExperiment.cells(plan)).toMatchObject([{ questions: 210, trees, scoring: 'weighted' }]);
  const { found } = await measureAll(agreedExperiment, { ...plan, requests: 40 }, { pool });
  const { right, tokens, ended, tokensWith, others, won, lost } = found[0]!.result;
  expect(ended).toBeGreaterThan(3);
  expect(tokensWith).toBeLessThan(tokens);
  expect(right).toBeGreaterThan(10);
  expect(won + lost).toBeLessThanOrEqual(others);
});
