import { expect, it } from 'vitest';
import { contenderOf } from './contenders.ts';
import { loneAnswers } from './lone-search.ts';
import { runTrial, trialDefaults } from './trial.ts';

it.each([
  ['positive', 'product', 'best'],
  ['safe', 'product', 'best'],
  ['safe', 'minimum', 'best'],
  ['safe', 'mean', 'vote'],
  ['positive+negative', 'product', 'best'],
  ['best-first+safe', 'last', 'vote'],
] as const)('answers as a trial with one strand does: %s, %s, %s', (row, aggregation, choose) => {
  const questions = Array.from({ length: 15 }, (_, at) => at);
  const profile = { rewards: { ofPath: 0.5, lateSteps: 1 } };
  const spec = { ...trialDefaults, setting: 'amc23/8b', seed: 5, profile, aggregation, choose } as const;
  const contender = contenderOf(row);
  const { served } = runTrial({
    ...spec,
    contender,
    questions,
    requests: questions.length,
    budget: 1,
    arrivals: { kind: 'one-by-one' },
  });
  expect(loneAnswers({ ...spec, contender, questions })).toEqual(
    served.map(({ correct: right, exit, tokens }) => ({ right, exit, tokens })),
  );
});
