// The flags that say what is calibrated, whoever answers the questions: which exit, of which search, and how much accuracy it may
// cost. Read once, checked.

import type { Wish } from '../../../answering/search-plan.ts';
import { raise } from '../../../base/fault.ts';
import { requestKnobs, type SearchKnob } from '../../../config/vocabulary.ts';
import { programKnobs } from '../../../program/registry/programs.ts';
import { knobOptions, knobUsage, readWish } from '../../terminal/knob-flags.ts';
import { flagOf, oneOf } from '../../terminal/options.ts';

/** What the search is told: the calibration holds for searches that are told the same. */
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
const told: readonly SearchKnob[] = [...main, ...(Object.keys(programKnobs) as SearchKnob[])];
const defaults = { loss: '0.5', rollouts: '16', out: 'calibration.json', program: 'self-consistency' };
const defaultsOfCertain = { program: defaults.program };
const settledDefaults = { program: 'mcts', policy: 'fast' };
const lossKnob = { low: 0, high: 100, unit: 'points of accuracy', why: '' } as const;
const exitNames = ['certain', 'settled'] as const;

/** Questions that are asked where no number is given. */
export const calibrationSize = '460';

export const calibratedUsage = `  --exit NAME           certain: answers that agree; settled: more work is unlikely to make the answer right, of policy fast and
                        programs with scores (certain)
  --loss X              points of accuracy that may be lost (${defaults.loss}): it takes 100 / X questions in each half to show that
  --rollouts N          ${requestKnobs.rollouts.why} (${defaults.rollouts})
  --out FILE            the file; a section for the same search in it is replaced (${defaults.out})
  --seed N              of the draws, and of which half a question is in (1)`;

export const searchUsage = `the search:
${knobUsage(told, { program: defaults.program, policy: 'as ask would take' })}`;

/** For node:util's parseArgs. */
export const calibratedOptions = {
  ...knobOptions(told),
  loss: { type: 'string', default: defaults.loss },
  rollouts: { type: 'string', default: defaults.rollouts },
  out: { type: 'string', default: defaults.out },
  seed: { type: 'string', default: '1' },
  exit: { type: 'string', default: 'certain' },
} as const;

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

export function readCalibrated(values: CalibratedValues): CalibratedFlags {
  const exit = oneOf('exit', values.exit, exitNames);
  const wish = readWish({ ...(exit === 'settled' ? settledDefaults : defaultsOfCertain), ...values }, told);
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
