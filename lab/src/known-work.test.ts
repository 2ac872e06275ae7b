import { expect, it } from 'vitest';
import { JudgedWork, judgedSteps, knowingWork } from './known-work.ts';
import { runTrial, type TrialSpec, trialDefaults } from './sim/trial.ts';

const overload: TrialSpec = {
  ...trialDefaults,
  setting: 'math500/8b',
  requests: 40,
  rollouts: 4,
  budget: 1000,
  profile: { lengthSpread: 1 },
  size: { replicas: 1, sequenceLimit: 8 },
  arrivals: { kind: 'rate', perSecond: 3 },
  contender: { program: 'self-consistency', policy: 'vanilla', knobs: { order: 'sjf', stepTokens: 8192 } },
};

const meanLatency = (spec: TrialSpec) => {
  const { served } = runTrial(spec);
  return served.reduce((sum, { arrivalMs, endedMs }) => sum + endedMs - arrivalMs, 0) / served.length;
};

it('serves the short ones sooner where the work is known than where it is measured, and that sooner than by arrival', () => {
  const tokens = runTrial(overload).served.map((each) => each.tokens);
  const known = meanLatency({ ...overload, work: { tokens, use: 'known' } });
  const measured = meanLatency(overload);
  expect(known).toBeLessThan(measured);
  const fcfs = { ...overload.contender, knobs: { order: 'fcfs', stepTokens: 8192 } } as TrialSpec['contender'];
  expect(measured).toBeLessThan(meanLatency({ ...overload, contender: fcfs }));
});

it('changes nothing by judging estimates, which know the order of searches after a few steps', () => {
  const plain = runTrial(overload);
  const tokens = plain.served.map((each) => each.tokens);
  const judged = runTrial({ ...overload, work: { tokens, use: 'judged' } });
  expect(judged.served).toEqual(plain.served);
  expect(judged.workRanks![1]).toBeGreaterThan(0.5);
  expect(plain.workRanks).toBeUndefined();
});

it('reads an estimate once at each of the steps', () => {
  const judge = new JudgedWork(knowingWork([100, 50]), [100, 50]);
  const done = { tokens: 10, rollouts: 0, pathTokens: 0, paths: 0, rolloutsLeft: 1 };
  for (const steps of [0, 1, 1, ...judgedSteps]) for (const id of ['0', '1']) judge.left('any', { ...done, steps }, id);
  expect(judge.ranks).toEqual([1, 1, 1, 1]);
});
