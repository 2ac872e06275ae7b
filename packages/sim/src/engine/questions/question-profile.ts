// The distribution of questions of one data set under one generator and one reward model: what a simulated question is drawn from.

import type { RewardHabits } from './reward-habits.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

interface KindProfile {
  /** Chance that a step below a sound path is sound too; drawn per question. */
  readonly soundness: Range;
  /** Exponent on the rewards of sound steps: above 1, the verifier likes even right steps less. Drawn per question. */
  readonly strictness: Range;
}

export interface QuestionProfile {
  readonly name: string;
  readonly easyShare: number;
  readonly scalingShare: number;
  readonly easy: KindProfile;
  readonly scaling: KindProfile;
  readonly impossible: KindProfile;
  /** An impossible question goes well up to a step that no sample gets right; this is the share where it is the first. */
  readonly impossibleAtOnce: number;
  /** Mean steps of a solution. */
  readonly meanSteps: number;
  /** Median tokens of a step, and the deviation of their logarithm. */
  readonly stepTokens: number;
  readonly stepTokensSpread: number;
  /** Deviation of the logarithm of a question's own length, on which all its steps depend; none unless given. */
  readonly lengthSpread?: number;
  /** Share of questions that the verifier misreads, and the chance that it misses a wrong step in these and in others. */
  readonly blindShare: number;
  readonly blindChance: number;
  readonly missChance: number;
  /** Chance that a draw says what an earlier draw of the same node said, token for token. */
  readonly twinRate: number;
  /** What is different at each depth, from the first step on; the last holds for all that are deeper. As fitted to a recording. */
  readonly byDepth?: readonly DepthHabits[];
  /** Chance that an answer which was wrong comes out right when it is written again after a turn; 0.25 unless given. */
  readonly repair?: number;
  /** How the verifier errs beyond the noise of single steps; not at all unless given. */
  readonly rewards?: RewardHabits;
}

export interface DepthHabits {
  /** Exponent on the question's soundness: below 1, steps go wrong less often here. */
  readonly ease: number;
  /** In place of the question's own: what the verifier misses here decides how well it tells siblings apart. */
  readonly missChance: number;
  readonly twinRate: number;
}

/** What is known of a question's lengths before it is drawn: of its prompt, and the mean of its answers. */
export interface QuestionSize {
  readonly promptTokens: number;
  readonly answerTokens: number;
}
