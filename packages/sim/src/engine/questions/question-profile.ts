// The distribution of questions of one data set under one generator and one reward model.

export interface Range {
  readonly low: number;
  readonly high: number;
}

interface KindProfile {
  /** Chance that a step below a sound path is sound; drawn per question. */
  readonly soundness: Range;
  /** Exponent on the rewards of sound steps: above 1 the verifier scores right steps lower. Drawn per question. */
  readonly strictness: Range;
}

export interface QuestionProfile {
  readonly name: string;
  readonly easyShare: number;
  readonly scalingShare: number;
  readonly easy: KindProfile;
  readonly scaling: KindProfile;
  readonly impossible: KindProfile;
  /** Share of impossible questions that fail at the first step; the others fail at a later one. */
  readonly impossibleAtOnce: number;
  readonly meanSteps: number;
  /** Median tokens of a step, and the standard deviation of their logarithm. */
  readonly stepTokens: number;
  readonly stepTokensSpread: number;
  /** Standard deviation of the logarithm of a question's length, a factor on all its steps; 0 by default. */
  readonly lengthSpread?: number;
  /** Share of questions that the verifier misreads, and its chance to miss a wrong step in these and in the others. */
  readonly blindShare: number;
  readonly blindChance: number;
  readonly missChance: number;
  /** Chance that a draw repeats an earlier draw of the same node, token for token. */
  readonly twinRate: number;
  /** Habits by depth from the first step on; deeper steps use the last entry. Fitted to a recording. */
  readonly byDepth?: readonly DepthHabits[];
  /** Chance that a turn makes a wrong answer right; 0.25 by default. */
  readonly repair?: number;
  readonly rewards?: RewardErrors;
}

/** Sound: right so far. Hidden: wrong, and the verifier has not seen it. Flawed: wrong, and the verifier has seen it. */
export type StepState = 'sound' | 'hidden' | 'flawed';

export interface Tip {
  readonly key: number;
  readonly state: StepState;
}

/** Errors of a verifier beyond the noise of single steps, as a function of the path alone, first step first. */
export interface RewardErrors {
  /** Gives a standard normal; `own` is the step's own one. */
  noise(questionKey: number, path: readonly Tip[], own: number): number;
  rewardedAs(path: readonly Tip[]): { readonly isFlawed: boolean; readonly exponent: number };
  within(reward: number): number;
}

export interface DepthHabits {
  /** Exponent on the question's soundness: below 1, steps at this depth go wrong less often. */
  readonly ease: number;
  /** Replaces the question's own chance; decides how well the verifier tells siblings apart. */
  readonly missChance: number;
  readonly twinRate: number;
}

/** Tokens of the prompt, and mean tokens of an answer. */
export interface QuestionSize {
  readonly promptTokens: number;
  readonly answerTokens: number;
}
