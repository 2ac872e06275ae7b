// The flags that say what is calibrated, on a real model or in the lab: which exit, of which search, and how much accuracy it may
// cost. Read once, checked.

import type { Wish } from '../../../answering/plan/search-plan.ts';
import { raise } from '../../../base/fault.ts';
import { requestKnobs, type SearchKnob } from '../../../config/vocabulary.ts';
import { type Flags, helpFlag } from '../../terminal/help.ts';
import { knobFlags, readWish } from '../../terminal/knob-flags.ts';
import { flagOf, oneOf } from '../../terminal/options.ts';
import { setFlag } from '../../terminal/settings.ts';

const main = [
  'program',
  'policy',
  'branching',
  'threshold',
  'choose',
  'temperature',
  'stepTokens',
  'maxDepth',
] as const;
/** What the search is told: the calibration holds for searches that are told the same. */
export const calibratedKnobs: readonly SearchKnob[] = main;
const defaultsOfCertain = { program: 'self-consistency' } as const;
const settledDefaults = { program: 'mcts', policy: 'fast' } as const;
const lossKnob = { low: 0, high: 100, unit: 'points of accuracy', why: '' } as const;
const exitNames = ['certain', 'settled'] as const;

/** Questions that are asked where no number is given. */
export const calibrationSize = '460';

export const exitGroup = {
  exit: {
    type: 'string',
    takes: 'NAME',
    default: 'certain',
    about: 'certain: answers agree; settled: more work is unlikely to help, of policy fast',
  },
  loss: { type: 'string', takes: 'X', default: '0.5', about: 'points of accuracy that may be lost' },
  out: {
    type: 'string',
    takes: 'FILE',
    default: 'calibration.json',
    about: 'the file; a section for the same search is replaced',
  },
  json: { type: 'boolean', default: false, about: 'prints the section as JSON' },
  ...helpFlag,
} as const satisfies Flags;

export const calibratedGroup = {
  program: { ...knobFlags.program, about: 'how the tree grows (self-consistency; mcts with --exit settled)' },
  policy: { ...knobFlags.policy, rare: true },
  rollouts: { type: 'string', takes: 'N', default: '16', about: knobFlags.rollouts.about.split(',')[0]! },
  threshold: knobFlags.threshold,
  branching: knobFlags.branching,
  choose: knobFlags.choose,
  temperature: knobFlags.temperature,
  seed: { type: 'string', takes: 'N', default: '1', about: 'of the draws, and of which half a question is in' },
  ...setFlag,
} as const satisfies Flags;

export interface CalibratedFlags {
  readonly exit: (typeof exitNames)[number];
  readonly wish: Wish & { readonly rollouts: number };
  readonly lossBudget: number;
  readonly seed: number;
  readonly out: string;
}

interface CalibratedValues {
  readonly exit: string;
  readonly rollouts: string;
  readonly loss: string;
  readonly seed: string;
  readonly out: string;
}

/** `set`: what `--set` asked of the search. */
export function readCalibrated(values: CalibratedValues, set: Wish): CalibratedFlags {
  const exit = oneOf('exit', values.exit, exitNames);
  const otherwise = exit === 'settled' ? settledDefaults : defaultsOfCertain;
  const wish: Wish = { ...otherwise, ...readWish({ ...values }, calibratedKnobs, set) };
  if (exit === 'settled' && wish.policy !== 'fast')
    raise('bad-setting', `--policy is '${wish.policy}'; --exit settled is about searches of policy fast`);
  return {
    exit,
    wish: { ...wish, rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts) },
    lossBudget: flagOf('loss', values.loss, lossKnob),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    out: values.out,
  };
}
