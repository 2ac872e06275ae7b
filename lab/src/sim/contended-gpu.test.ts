import { type CostModel, curve } from '@coppice/core/cost';
import type { EngineMessage, GenerateRequest } from '@coppice/core/engine';
import { rootKey } from '@coppice/core/tree';
import { SimReplica, World } from '@coppice/sim/engine';
import type { Step } from 'coppice';
import { expect, it } from 'vitest';
import { ContendedGpu } from './contended-gpu.ts';
import { evenSlowdown } from './slowdown.ts';

/** A step takes 10 ms, whatever the batch; prompts cost nothing. */
const cost: CostModel = {
  name: 'ten',
  decodeCurve: () =>
    curve([
      [1, 10],
      [1000, 10],
    ]),
  prefillCurve: curve([
    [1, 1],
    [1000, 1],
  ]),
};

const step: Step = { text: 'a', tokens: 10, meanLogprob: 0, end: 'delimiter' };
const request: GenerateRequest = {
  id: 1,
  search: 'a',
  prompt: { kind: 'text', text: 'q' },
  parent: rootKey,
  path: [],
  index: 0,
  sampling: { temperature: 1 },
  seed: 1,
  delimiters: [],
  maxTokens: 10,
  lane: 'primary',
  priority: 0,
};

function run(requestMs: number, disturb: (world: World, gpu: ContendedGpu) => void): number {
  const world = new World();
  const gpu = new ContendedGpu(evenSlowdown(3, 2));
  let endedMs = Number.NaN;
  const note = (message: EngineMessage): void => {
    if (message.type === 'step') endedMs = world.nowMs;
  };
  const options = { cost, sequenceLimit: 4, kvTokens: 1000, prefillTokens: 100, requestMs, gpu };
  new SimReplica(world, options, note).enqueue(request, step, 10);
  disturb(world, gpu);
  world.run(() => {});
  return endedMs;
}

it('decodes at full speed alone, and as many times slower as was measured while a reward model works', () => {
  expect(run(0, () => {})).toBe(100);
  expect(run(0, (_, gpu) => gpu.set('rewardModel', 100))).toBe(300);
});

it('changes its speed with the step under way when the other begins and ends', () => {
  // Three steps alone (the third ends at 30), two in company (30 to 90), five alone.
  const between = run(0, (world, gpu) => {
    world.at(25, () => gpu.set('rewardModel', 100));
    world.at(80, () => gpu.set('rewardModel', 0));
  });
  expect(between).toBe(140);
});

it('answers later by what a request takes besides its steps', () => {
  expect(run(7, () => {})).toBe(107);
});

it('slows the reward model down only while the generator works', () => {
  const gpu = new ContendedGpu(evenSlowdown(3, 2));
  expect(gpu.factor('rewardModel')).toBe(1);
  gpu.set('generator', 1);
  expect(gpu.factor('rewardModel')).toBe(2);
});

it('lets the reward model wait for the generator where the two alternate, and says when that rests', () => {
  const gpu = new ContendedGpu(evenSlowdown(3, 2), true);
  let rests = 0;
  gpu.onRest(() => {
    rests += 1;
  });
  expect(gpu.isTaken).toBe(false);
  gpu.set('generator', 2);
  expect([gpu.isTaken, rests]).toEqual([true, 0]);
  gpu.set('generator', 0);
  expect([gpu.isTaken, rests]).toEqual([false, 1]);
});
