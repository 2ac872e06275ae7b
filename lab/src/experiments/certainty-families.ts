// The programs that p1.ts compares: at the caps of P1's Table 2, each with and without the exits of certainty of its Table 1; and for §6.7 chains
// of thought five times as long as those of the settings, with and without probes.

import type { ProgramName } from 'coppice';
import type { LostSettings } from '../lost/lost-search.ts';
import type { RowName, TurnedWish } from '../service/index.ts';
import type { ErringProfile } from '../sim/reward-habits.ts';

export interface CertaintyFamily {
  /** The row of `sim` that it is without an exit; `--policy` chooses among them. */
  readonly row: RowName;
  readonly program: ProgramName;
  /** Table 2: samples, rollouts, width. */
  readonly caps: readonly number[];
  /** How its answers are chosen in P1, and how many samples are open at a time. */
  readonly knobs: TurnedWish;
  readonly rules: readonly (readonly [name: string, knobs: TurnedWish, lost?: LostSettings])[];
  /** Questions that differ from those of the setting. */
  readonly profile?: ErringProfile;
}

/** Thresholds and detection points of Table 1, tuned on the paper's test sets and not on these questions. */
export const certaintyFamilies: readonly CertaintyFamily[] = [
  {
    row: 'self-consistency',
    program: 'self-consistency',
    caps: [5, 10, 15, 20, 25, 30],
    knobs: { window: 5 },
    rules: [
      ['threshold 0.7', { certain: 'threshold', certainAgreement: 0.7, certainAnswers: 5 }],
      ['threshold 0.7, once', { certain: 'threshold', certainAgreement: 0.7, certainAnswers: 5, certainEvery: 0 }],
      ['curve', { certain: 'curve', certainAnswers: 5 }],
      ['certificate 0.05', { certain: 'certificate' }],
      ['beta 0.05', { certain: 'beta' }],
      ['windows of 5', { certain: 'windows' }],
      ['length 400', {}, { lengthExit: 400, lengthAnswers: 5 }],
      ['length 500', {}, { lengthExit: 500, lengthAnswers: 5 }],
    ],
  },
  {
    row: 'vanilla',
    program: 'mcts',
    caps: [3, 7, 10, 15, 20],
    knobs: { choose: 'best' },
    rules: [
      [
        'threshold 0.99, reward 0.4',
        { certain: 'threshold', certainAgreement: 0.99, certainReward: 0.4, certainAnswers: 3 },
      ],
      [
        'threshold 0.99, reward 0.4, once',
        { certain: 'threshold', certainAgreement: 0.99, certainReward: 0.4, certainAnswers: 3, certainEvery: 0 },
      ],
      ['curve', { certain: 'curve', certainAnswers: 3 }],
      ['length 400', {}, { lengthExit: 400, lengthAnswers: 3 }],
    ],
  },
  {
    row: 'rebase',
    program: 'rebase',
    caps: [16, 32, 64, 128],
    knobs: { choose: 'vote' },
    rules: [
      ['threshold 0.75', { certain: 'threshold', certainAgreement: 0.75, certainAnswers: 16 }],
      [
        'threshold 0.85, reward 0.99',
        { certain: 'threshold', certainAgreement: 0.85, certainReward: 0.99, certainAnswers: 16 },
      ],
      // As P1 runs it: a first round of 16 paths, and the others only where those were not certain.
      ['two rounds', { firstPaths: 16 }],
      [
        'two rounds, threshold 0.75',
        { firstPaths: 16, certain: 'threshold', certainAgreement: 0.75, certainAnswers: 16 },
      ],
      [
        'two rounds, threshold 0.85, reward 0.99',
        { firstPaths: 16, certain: 'threshold', certainAgreement: 0.85, certainReward: 0.99, certainAnswers: 16 },
      ],
      ['length 400', {}, { lengthExit: 400, lengthAnswers: 16 }],
    ],
  },
  {
    row: 'chain',
    program: 'chain',
    caps: [1],
    knobs: { probe: 'off', maxDepth: 200 },
    rules: [
      ['3 probes agree', { probe: 'answer' }],
      ['2 probes agree', { probe: 'answer', probeAgree: 2 }],
      ['entropy at rest', { probe: 'entropy' }],
    ],
    profile: {
      meanSteps: 40,
      easy: { soundness: { low: 0.995, high: 1 }, strictness: { low: 1, high: 1 } },
      scaling: { soundness: { low: 0.97, high: 0.995 }, strictness: { low: 1, high: 1 } },
    },
  },
];

/** The sweep of figure 12: the agreement of samples, and the reward of MCTS. The cap is 15, since recordings have 16 samples. */
export const thresholdFamilies: readonly CertaintyFamily[] = [
  {
    row: 'self-consistency',
    program: 'self-consistency',
    caps: [15],
    knobs: { window: 5 },
    rules: [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((agreement) => [
      `agreement ${agreement}`,
      { certain: 'threshold', certainAgreement: agreement, certainAnswers: 5 },
    ]),
  },
  {
    row: 'vanilla',
    program: 'mcts',
    caps: [15],
    knobs: { choose: 'best' },
    rules: [0, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9].map((reward) => [
      `reward ${reward}`,
      { certain: 'threshold', certainAgreement: 0.99, certainReward: reward, certainAnswers: 3 },
    ]),
  },
];
