// Settings drawn at random: budget, load, question mix, reward quality, step times, a reward model that is faster or slower
// than the generator needs, with and without prefix reuse, on a GPU of its own or on the generator's. A function of seed and
// number alone.

import { Random } from '@coppice/core/base';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { settingNames } from '../service/index.ts';
import { settingOf } from '../sim/settings.ts';
import { evenSlowdown } from '../sim/slowdown.ts';
import { type TrialSpec, trialDefaults } from '../sim/trial.ts';

export interface RandomSetting {
  /** What was drawn, to be read beside the worst cases. */
  readonly about: string;
  readonly spec: Omit<TrialSpec, 'contender' | 'arrivals'>;
  /** Arrivals as a multiple of what `positive` can sustain there. */
  readonly load: number;
}

/** So many budgets of requests: most of a run then has a queue or a full house behind it. */
const budgetsOfRequests = 3;

export function randomSetting(seed: number, at: number): RandomSetting {
  const random = new Random('setting', seed, at);
  const budget = Math.round(logBetween(random, 12, 64));
  const rollouts = pick(random, [8, 16, 24]);
  const load = logBetween(random, 0.3, 2.5);
  const speed = logBetween(random, 0.2, 5);
  const reuses = random.chance(0.5);
  const shared = random.chance(0.5);
  const setting = pick(random, settingNames);
  const machine = randomMachine(random, { budget, speed, reuses, shared });
  const profile = randomProfile(random, setting);
  const spec = { ...trialDefaults, setting, seed: 1000 * seed + at, budget, rollouts, machine, profile };
  const place = `${shared ? "on the generator's GPU" : 'on its own GPU'}, ${reuses ? 'with' : 'without'} prefix reuse`;
  return {
    about: `${setting}, M ${budget}, ${rollouts} rollouts, load ${load.toFixed(2)}p, reward model ${speed.toFixed(2)} times as fast as needed ${place}`,
    spec: { ...spec, requests: budgetsOfRequests * budget },
    load,
  };
}

interface MachineDraw {
  readonly budget: number;
  /** How many times as fast as the generator needs scores. */
  readonly speed: number;
  readonly reuses: boolean;
  readonly shared: boolean;
}

const siblings = 4;
/** Tokens that a reward model without a cache computes for each generated one: prompt and path of a mean step. */
const withoutReuse = 6;

function randomMachine(random: Random, { budget, speed, reuses, shared }: MachineDraw): MeasuredMachine {
  const aloneMs = logBetween(random, 4, 25);
  const doubling = logBetween(random, 48, 512);
  const stepMs = (sequences: number) => aloneMs * (1 + sequences / doubling);
  const most = siblings * budget;
  const neededPerMs = (most / stepMs(most)) * (reuses ? 1 : withoutReuse);
  const passTokenMs = 1 / (speed * neededPerMs);
  const prefillTokenMs = stepMs(256) / 256 / 8;
  const line = (tokenMs: number, baseMs: number) =>
    [1, 4096].map((tokens): [number, number] => [tokens, baseMs + tokens * tokenMs]);
  const slow = shared ? 1 + random.uniform() : 1;
  return {
    name: 'drawn at random',
    generator: {
      contexts: [64, 2048],
      decode: [1, 64, 512].map((n): [number, number, number] => [n, stepMs(n), stepMs(n) * 1.3]),
      prefill: line(prefillTokenMs, aloneMs),
      requestMs: 0,
      kvTokens: 400_000,
      sequenceLimit: most,
    },
    rewardModel: {
      pass: line(passTokenMs, 5),
      callMs: 0,
      extraTokens: 0,
      passTokens: 4096,
      reusesPrefix: reuses,
      kvTokens: 400_000,
    },
    slowdown: evenSlowdown(slow, slow),
  };
}

function randomProfile(random: Random, setting: (typeof settingNames)[number]): NonNullable<TrialSpec['profile']> {
  const { easyShare, scalingShare } = settingOf(setting).profile;
  const easy = Math.min(0.8, easyShare * (0.5 + random.uniform()));
  const scaling = Math.min(1 - easy, scalingShare * (0.5 + random.uniform()));
  const quality = { blindShare: 0.2 * random.uniform(), missChance: 0.08 * random.uniform() };
  return { easyShare: easy, scalingShare: scaling, ...quality };
}

function logBetween(random: Random, low: number, high: number): number {
  return low * (high / low) ** random.uniform();
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[random.integer(values.length)]!;
}
