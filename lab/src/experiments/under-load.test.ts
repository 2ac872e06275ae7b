// Speculation delays no search where the reward model is the bottleneck: it is off by itself. Under load: under-load.slow.test.ts.

import { mean, Random } from '@coppice/core/base';
import { llama8b, prm7b } from '@coppice/sim/engine';
import { describe, expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { printed } from '../experiment/table.ts';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { ratiosOf } from '../percentile-ratios.ts';
import { contenderOf } from '../sim/contenders.ts';
import { evenSlowdown } from '../sim/slowdown.ts';
import { runTrial, trialDefaults } from '../sim/trial.ts';
import { drawLoaded } from '../speculation/under-load.ts';
import { percentile } from '../statistics.ts';
import { loadBlocks, mostHarm, underLoadExperiment } from './under-load.ts';

/** An H200 a side, whose reward model takes so many times as long as it does. */
function machineWith(slower: number, reusesPrefix: boolean): MeasuredMachine {
  const { contexts, decode, prefill } = llama8b;
  const room = { kvTokens: 400_000, passTokens: 4096, callMs: 0, extraTokens: 0 };
  const pass = prm7b.prefill.map(([tokens, ms]) => [tokens, slower * ms] as const);
  return {
    name: 'slow reward model',
    generator: { contexts, decode, prefill, requestMs: 0, kvTokens: 400_000, sequenceLimit: 512 },
    rewardModel: { ...room, pass, reusesPrefix },
    slowdown: evenSlowdown(1, 1),
  };
}

/** Times of one search at a time with speculation over those without: of the medians, and the geometric mean. */
function ratioOn(machine: MeasuredMachine) {
  const spec = { ...trialDefaults, setting: 'math500/8b', seed: 31, requests: 16, budget: 16, machine } as const;
  const [without, ahead] = ['positive', 'positive:speculate=4'].map((row) => {
    const { served } = runTrial({ ...spec, contender: contenderOf(row), arrivals: { kind: 'one-by-one' } });
    return served.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs);
  }) as [number[], number[]];
  const logs = ahead.map((ms, at) => Math.log(ms / without[at]!));
  return { median: percentile(ahead, 50) / percentile(without, 50), mean: Math.exp(mean(logs)) };
}

describe('where the reward model is the bottleneck', () => {
  it('speculation is off by itself, and where it is not, it is on', () => {
    const slow = ratioOn(machineWith(20, false));
    expect(slow.median).toBeLessThanOrEqual(mostHarm);
    expect(slow.mean).toBeLessThanOrEqual(mostHarm);
    expect(ratioOn(machineWith(1, true)).mean).toBeLessThan(0.8);
  });
});

describe('settings drawn at random', () => {
  it('are the same for the same seed, with programs and widths of all kinds', () => {
    expect(drawLoaded({ seed: 3, at: 5 })).toEqual(drawLoaded({ seed: 3, at: 5 }));
    const drawn = Array.from({ length: 60 }, (_, at) => drawLoaded({ seed: 1, at }));
    expect(new Set(drawn.map(({ row }) => row)).size).toBe(10);
    expect(new Set(drawn.map(({ speculate }) => speculate))).toEqual(new Set([2, 4, 8]));
  });
});

describe('a setting', () => {
  it('is served twice in each way where it is boosted, to say how much is chance', async () => {
    const cells = [63, 13].map((at) => ({ seed: 801, at, requests: 12 }));
    const pool = { run: async (spec: Parameters<typeof runTrial>[0]) => runTrial(spec) };
    const { found } = await measureAll({ ...underLoadExperiment, cells: () => cells }, planDefaults, { pool });
    const verdicts = found.map(({ result }) => result);
    expect(verdicts.map(({ boosted, chance }) => [boosted, chance !== undefined])).toEqual([
      [true, true],
      [false, false],
    ]);
    const lines = printed(loadBlocks(verdicts, 2), 'markdown').split('\n');
    expect(lines.filter((line) => line.includes('without over without | 1 |'))).toHaveLength(2);
  });
});

describe('the ratio of two percentiles', () => {
  it('has an interval that covers it, and none where every request took as much longer', () => {
    const random = new Random('times');
    const without = Array.from({ length: 400 }, () => random.exponential(1000));
    const twice = without.map((ms) => 2 * ms);
    const [exact] = ratiosOf([[without], [twice]], [50], new Random(1));
    expect(exact).toEqual({ value: 2, low: 2, high: 2 });
    const other = without.map((ms) => ms * (0.5 + random.uniform()));
    const [p50, p99] = ratiosOf([[without], [other]], [50, 99], new Random(1));
    for (const { value, low, high } of [p50!, p99!]) {
      expect(low).toBeLessThan(high);
      expect(value).toBeGreaterThanOrEqual(low * 0.99);
      expect(value).toBeLessThanOrEqual(high * 1.01);
    }
  });
});
