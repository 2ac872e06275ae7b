// Every knob of a policy with its unit, default, bounds and the reason for its default. Checked once, when a policy is
// made; an unknown knob or a value out of bounds is refused with the value, the bound and the name.

import { raise } from '../base/fault.ts';
import { type BoundTarget, boundTargets } from '../exit/prune-bound.ts';
import { type Precedence, precedences } from '../scheduler/dynamic.ts';
import { type Preemption, preemptions } from '../scheduler/preemption.ts';

export interface PolicyOptions {
  readonly firstDepthCut: number;
  readonly boundPrune: BoundTarget | 'off';
  readonly chancePrune: number;
  readonly first: Precedence;
  readonly preemption: Preemption;
  readonly beta: number;
  readonly gate: number;
  readonly lambda: number;
  readonly ageingSeconds: number;
}

export type Knob = { readonly unit: string; readonly why: string } & (
  | { readonly default: number; readonly low: number; readonly high: number; readonly whole?: true }
  | { readonly default: string; readonly values: readonly string[] }
);

export const knobs = {
  firstDepthCut: {
    default: 0.9,
    low: 0,
    high: 1,
    unit: 'reward',
    why: 'P0 §4.3 names no value; branches that begin below it rarely reach a threshold of 0.65. 0 is the strict exit',
  },
  boundPrune: {
    default: 'off',
    values: ['off', ...boundTargets],
    unit: 'target',
    why: "P0's table has no row for it; 'best' is branch and bound, 'threshold' the rule of §4.1",
  },
  chancePrune: {
    default: 0,
    low: 0,
    high: 1,
    unit: 'probability',
    why: "0 is off: P0's table has no row for it. A strand less likely than this to reach the threshold is ended",
  },
  first: {
    default: 'admit',
    values: precedences,
    unit: 'who',
    why: 'boosting before admitting trades waiting searches for inefficient speed-up: P0 §5.3, 0.8x throughput',
  },
  preemption: {
    default: 'needed',
    values: preemptions,
    unit: 'when',
    why: "a preempted rollout loses its steps in flight; 'eager' is Algorithm 1 to the letter",
  },
  beta: {
    default: 2,
    low: 0,
    high: 1000,
    unit: 'log seconds',
    why: 'β of P0 §4.4, no value given; being near acceptance counts as much as having waited e² = 7.4 times as long',
  },
  gate: {
    default: 1,
    low: 0,
    high: 1_000_000,
    whole: true,
    unit: 'completed rollouts',
    why: "Algorithm 1's observation threshold, no value given; most searches are accepted by their first rollout",
  },
  lambda: {
    default: 0,
    low: 0,
    high: 1000,
    unit: 'log seconds',
    why: '0 turns the predictor of long searches (P0 §4.1) off, until it is shown to pay',
  },
  ageingSeconds: {
    default: 60,
    low: 0.001,
    high: 1e9,
    unit: 'seconds per unit of priority',
    why: 'a lower priority waits at most this much longer per unit, so nobody starves',
  },
} as const satisfies Record<keyof PolicyOptions, Knob>;

export const defaultOptions: PolicyOptions = Object.freeze({
  firstDepthCut: knobs.firstDepthCut.default,
  boundPrune: knobs.boundPrune.default,
  chancePrune: knobs.chancePrune.default,
  first: knobs.first.default,
  preemption: knobs.preemption.default,
  beta: knobs.beta.default,
  gate: knobs.gate.default,
  lambda: knobs.lambda.default,
  ageingSeconds: knobs.ageingSeconds.default,
});

export function resolveOptions(given: Partial<PolicyOptions>): PolicyOptions {
  for (const [name, value] of Object.entries(given)) check(name, value);
  return { ...defaultOptions, ...given };
}

function check(name: string, value: unknown): void {
  const known: Readonly<Record<string, Knob>> = knobs;
  const knob = Object.hasOwn(known, name) ? known[name] : undefined;
  if (knob === undefined) {
    return raise('bad-setting', `policies have no option '${name}'; there are ${Object.keys(knobs).join(', ')}`);
  }
  if ('values' in knob) {
    if (typeof value === 'string' && knob.values.includes(value)) return;
    return raise('bad-setting', `${name} is ${JSON.stringify(value)}; it must be one of ${knob.values.join(', ')}`);
  }
  const fits = typeof value === 'number' && value >= knob.low && value <= knob.high;
  if (fits && (!knob.whole || Number.isInteger(value))) return;
  const kind = knob.whole ? 'a whole number' : 'a number';
  raise(
    'bad-setting',
    `${name} is ${String(value)}; it must be ${kind} from ${knob.low} to ${knob.high} (${knob.unit})`,
  );
}
