// The distribution of questions of one data set under one generator and one reward model.

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
  /** An impossible question goes well up to a step that every sample gets wrong; the share where that is the first step. */
  readonly impossibleAtOnce: number;
  readonly meanSteps: number;
  /** Median tokens of a step, and the deviation of their logarithm. */
  readonly stepTokens: number;
  readonly stepTokensSpread: number;
  /** Deviation of the logarithm of a question's own length, a factor on all its steps; 0 unless given. */
  readonly lengthSpread?: number;
  /** Share of questions that the verifier misreads, and the chance that it misses a wrong step in these and in others. */
  readonly blindShare: number;
  readonly blindChance: number;
  readonly missChance: number;
  /** Chance that a draw says what an earlier draw of the same node said, token for token. */
  readonly twinRate: number;
  /** Habits by depth, from the first step on; the last holds below it too. Fitted to a recording. */
  readonly byDepth?: readonly DepthHabits[];
  /** Chance that a turn makes a wrong answer right; 0.25 unless given. */
  readonly repair?: number;
  readonly rewards?: RewardErrors;
}

/** Sound: right so far. Hidden: wrong, and the verifier has not seen it. Flawed: wrong, and it has. */
export type StepState = 'sound' | 'hidden' | 'flawed';

export interface Tip {
  readonly key: number;
  readonly state: StepState;
}

/** Errors of a verifier beyond the noise of single steps, as functions of the path alone, from its first step to the last. */
export interface RewardErrors {
  /** A standard normal, as `own` is. */
  noise(questionKey: number, path: readonly Tip[], own: number): number;
  rewardedAs(path: readonly Tip[]): { readonly isFlawed: boolean; readonly exponent: number };
  within(reward: number): number;
}

export interface DepthHabits {
  /** Exponent on the question's soundness: below 1, steps go wrong less often here. */
  readonly ease: number;
  /** Replaces the question's own; decides how well the verifier tells siblings apart. */
  readonly missChance: number;
  readonly twinRate: number;
}

/** Tokens of the prompt, and of answers in the mean. */
export interface QuestionSize {
  readonly promptTokens: number;
  readonly answerTokens: number;
}
