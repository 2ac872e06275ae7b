import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { runTrial } from '../sim/trial.ts';
import { keptAnswers } from './kept-answers.ts';

it('keeps every answer of searches at their natural width, alone and under load', async () => {
  const rows = ['positive', 'best-first+positive'];
  const plan = { ...planDefaults, rows, settings: ['math500/8b'], seeds: [5], requests: 5 } as const;
  const { found } = await measureAll(keptAnswers, plan, { pool: { run: async (spec) => runTrial(spec) } });
  expect(found.map(({ result }) => [result.searches, result.answers, result.outcomes])).toEqual(
    Array(4).fill([5, 0, 0]),
  );
});
