import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { contenderOf } from '../sim/contenders.ts';
import { runTrial, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import { type AccuracyLine, accuracy } from './accuracy.ts';

const pool = { run: async (spec: TrialSpec) => runTrial(spec) };

it('pairs every policy with positive, with one strand and with all', async () => {
  const size = { settings: ['amc23/8b'], rows: ['safe'], seeds: [3, 4], requests: 5, budget: 8 } as const;
  const plan = { ...planDefaults, ...size };
  const { found } = await measureAll(accuracy, plan, { pool });
  const { body, data } = accuracy.report(found, plan);
  const { lines } = data as { lines: AccuracyLine[] };
  expect(lines.map(({ row, strands }) => `${row} ${strands}`)).toEqual(['positive 1', 'safe 1', 'safe 8']);
  expect(lines[0]).toMatchObject({ questions: 10, gainedInAll: { value: 0, half: 0 } });
  const [serial, safe] = lines;
  expect(safe!.gained[0]!.value).toBeCloseTo(safe!.accuracy - serial!.accuracy, 9);
  expect(safe!.tokens).toBeLessThan(serial!.tokens);
  expect(body).toMatchObject([{ groups: [{ rows: [{}, {}, {}] }] }]);
});

it('answers with one strand as in a full house', () => {
  const common = {
    ...trialDefaults,
    setting: 'amc23/8b',
    seed: 3,
    requests: 6,
    contender: contenderOf('safe:widths=natural'),
  } as const;
  const answers = (arrivals: 'backlog' | 'one-by-one', budget: number) =>
    runTrial({ ...common, arrivals: { kind: arrivals }, budget }).served.map(({ correct, tokens, rollouts }) => [
      correct,
      tokens,
      rollouts,
    ]);
  expect(answers('one-by-one', 1)).toEqual(answers('backlog', 4));
});
