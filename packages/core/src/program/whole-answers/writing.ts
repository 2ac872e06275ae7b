// Options that panel and refine share: how long an answer may be, and in which words a model is shown earlier ones.

import type { Knobs, OptionsOf } from '../../base/knob.ts';
import type { Sampling } from '../../tree/step.ts';
import { answerTokensKnob } from '../answer-tokens.ts';
import type { ProgramSize } from '../definition.ts';

export interface WritingOptions {
  readonly answerTokens: number;
  readonly sampling: Sampling;
  /** Question to a model that is shown earlier answers, with names in braces where they stand. */
  readonly prompt: string;
}

export const writingDefaults = {
  answerTokens: 1024,
  sampling: { temperature: 0.8 },
} satisfies Partial<WritingOptions>;

export const writingKnobs = { answerTokens: answerTokensKnob } as const satisfies Knobs;

/** All of them: they need no scores, and nodes get more children as answers come. */
export const writingShape = { needsVerifier: false, expandsOnce: false, takesTemperature: true } as const;

export function writingOf(
  { sampling, maxPathTokens }: ProgramSize,
  { answerTokens }: OptionsOf<typeof writingKnobs>,
  prompt: string,
): WritingOptions {
  return { sampling, prompt, answerTokens: Math.min(answerTokens, maxPathTokens ?? answerTokens) };
}
