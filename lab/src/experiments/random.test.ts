import { assert } from '@coppice/core/base';
import { GrowthMeter } from '@coppice/core/log';
import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { printed } from '../experiment/table.ts';
import { randomSetting } from '../policies/random-setting.ts';
import { noTimes } from '../sim/answer-times.ts';
import { contenderOf } from '../sim/contenders.ts';
import { runTrial, type TrialResult, type TrialSpec } from '../sim/trial.ts';
import { random, verdictBlocks } from './random.ts';

it('draws the same setting for the same seed, and machines that a trial takes', () => {
  expect(randomSetting(3, 5)).toEqual(randomSetting(3, 5));
  expect(randomSetting(3, 6)).not.toEqual(randomSetting(3, 5));
  for (let at = 0; at < 200; at += 1) {
    const { spec, load } = randomSetting(1, at);
    const { easyShare = 0, scalingShare = 0 } = spec.profile!;
    expect(easyShare + scalingShare).toBeLessThanOrEqual(1);
    expect(load).toBeGreaterThan(0);
    expect(spec.requests).toBeGreaterThan(spec.budget + 2);
  }
});

/** Every policy serves by its own pace: `safe` takes half of what `positive` takes, `boost` three times as much. */
const paced: Readonly<Record<string, number>> = { positive: 1000, boost: 3000, taper: 2000, safe: 500 };

function pretend({ contender, arrivals }: TrialSpec): TrialResult {
  assert('policy' in contender, 'a policy runs');
  const tookMs = paced[contender.policy]!;
  const perSecond = arrivals.kind === 'rate' ? arrivals.perSecond : 0;
  const one = {
    arrivalMs: 0,
    admittedMs: 0,
    endedMs: tookMs,
    tokens: tookMs,
    rollouts: 1,
    correct: true,
    exit: 'accepted',
    difficulty: 1,
  } as const;
  const still = {
    growth: new GrowthMeter().total,
    times: noTimes(),
    evictedTokens: 0,
    engineBusy: perSecond,
    verifierBusy: 0,
    saturatedVerifierTokensPerSecond: 1,
  };
  return { served: [one, { ...one, arrivalMs: 1 }], answers: [], saturatedTokensPerSecond: 6000, ...still };
}

it('compares the challenger with the best of its rivals, at a multiple of the capacity of positive', async () => {
  const specs: TrialSpec[] = [];
  const run = async (asked: TrialSpec) => {
    specs.push(asked);
    return pretend(asked);
  };
  const { found } = await measureAll(random, { ...planDefaults, seeds: [7], draws: 2 }, { pool: { run }, lanes: 1 });
  const first = found[0]?.result;
  expect(first!.capacity).toBe(2);
  expect(first!.p99).toBeCloseTo(2, 1);
  expect(first!.p50).toBeCloseTo(2, 1);
  expect(first!.overPositive).toBeCloseTo(2, 1);
  expect(first!.gained).toEqual([0, 0]);
  const rates = specs.flatMap(({ arrivals }) => (arrivals.kind === 'rate' ? [arrivals.perSecond] : []));
  expect(rates).toHaveLength(8);
  expect(rates[0]).toBeCloseTo(6 * randomSetting(7, 0).load, 9);
  expect(rates[4]).toBeCloseTo(6 * randomSetting(7, 1).load, 9);
});

it('serves on a machine that was drawn', () => {
  const { spec } = randomSetting(2, 0);
  const small = { ...spec, requests: 6, budget: 4, rollouts: 2, contender: contenderOf('safe') };
  expect(runTrial({ ...small, arrivals: { kind: 'backlog' } }).served).toHaveLength(6);
});

it('prints the worst first', () => {
  const good = { about: 'good', capacity: 1.2, p99: 1.1, p50: 1, overPositive: 1.3, gained: [0, 100, 0] };
  const blocks = verdictBlocks([good, { ...good, about: 'bad', p99: 0.5 }], 1);
  const lines = printed(blocks, 'markdown').split('\n');
  expect(lines).toContain('| p99 | 1 of 2 | 0.50 | 0.50 | 1.10 | 1.10 |');
  expect(lines).toContain('accuracy over positive: 33.33 ± 54.20 points, 6 questions');
  expect(lines.at(-1)).toBe('capacity 1.20, p99 0.50, p50 1.00: bad');
});
