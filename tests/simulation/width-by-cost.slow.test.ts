// Where the reward model is what everyone waits for: one GPU for both models, no prefix reuse. Boosting with all that is free
// only lengthens its queue, and the median pays for it; weighed by what a strand adds to everyone's score it does not.

import { expect, it } from 'vitest';
import { contenderOf } from '../../lab/src/service/contenders.ts';
import { latenciesOf } from '../../lab/src/service/measures.ts';
import { readMachine } from '../../lab/src/sim/machine.ts';
import { runTrial, trialDefaults } from '../../lab/src/sim/trial.ts';

const machine = readMachine('lab/docs/experiments/one-gpu.json');

/** Both tests compare with `positive`. */
const positive = served('positive');

function served(row: string) {
  const setting = { ...trialDefaults, setting: 'math500/8b', seed: 13, requests: 64, budget: 64, machine } as const;
  return latenciesOf(runTrial({ ...setting, contender: contenderOf(row), arrivals: { kind: 'rate', perSecond: 0.8 } }));
}

it('a strand is granted by what it adds to everyone: the median is no worse than unboosted, and the tail better', () => {
  const [all, worth] = ['positive:widths=shares', 'positive:widths=gain'].map(served);
  expect(all!.p50Ms).toBeGreaterThan(positive.p50Ms);
  expect(worth!.p50Ms).toBeLessThan(all!.p50Ms);
  expect(worth!.p99Ms).toBeLessThan(positive.p99Ms);
});

it('safe is better than positive in the middle and in the tail', () => {
  const safe = served('safe');
  expect(safe.p50Ms).toBeLessThan(positive.p50Ms);
  expect(1.3 * safe.p99Ms).toBeLessThan(positive.p99Ms);
});
