// Rows of published tables that the product has no settings for any more: each still runs, and does something.

import { expect, test } from 'vitest';
import { contenderOf as productContender } from '../service/index.ts';
import { contenderOf } from '../sim/contenders.ts';
import { runTrial, trialDefaults } from '../sim/trial.ts';

const spec = { ...trialDefaults, setting: 'math500/8b', seed: 3, requests: 8, rollouts: 8 } as const;

function served(row: string, budget = 12): string {
  const { served: all } = runTrial({ ...spec, budget, contender: contenderOf(row), arrivals: { kind: 'backlog' } });
  return JSON.stringify(all.map(({ endedMs, tokens }) => [endedMs, tokens]));
}

test('a row turned to what the product does is that of the product, and any other differs', () => {
  const boost = served('boost');
  for (const same of ['beta=2:lambda=0:progress=completed', 'first=admit:preemption=needed'])
    expect(served(`boost:${same}`), same).toBe(boost);
  for (const other of ['beta=50', 'lambda=50', 'preemption=eager', 'chancePrune=0.3', 'lengthExit=1'])
    expect(served(`boost:${other}`), other).not.toBe(boost);
  const samples = 'self-consistency:window=2';
  expect(served(`${samples}:confidencePrune=1:confidenceWarmup=2`)).not.toBe(served(samples));
  // It matters where some wait.
  expect(served('boost:first=boost', 4)).not.toBe(served('boost', 4));
});

test('a score that the widths of the row do not read is refused', () => {
  expect(() => served('safe:beta=0')).toThrow("beta turns the score of widths 'shares'; those of the row are 'gain'");
});

test('the product refuses a row that turns a lost part', () => {
  expect(() => productContender('boost:beta=0')).toThrow("there is no option 'beta' here");
});
