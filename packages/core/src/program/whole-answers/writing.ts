// What panel and refine share: how long an answer may be, and which model writes a draw. Pure.

import type { Knobs, NumberKnob, OptionsOf } from '../../base/knob.ts';
import type { Manner, Sampling } from '../../tree/step.ts';
import type { Tree } from '../../tree/tree.ts';
import type { ProgramSize } from '../definition.ts';

/** Limits what a program has written in one piece, to the end of an answer: panel, refine, tot and rstar share it. Steps have stepTokens. */
export const answerTokensKnob = {
  default: 1024,
  low: 1,
  high: 1_000_000,
  whole: true,
  client: 'coppice',
  unit: 'tokens',
  why: 'longest end of an answer that panel, refine, tot or rstar writes in one piece',
} as const satisfies NumberKnob;

export interface WritingOptions {
  readonly answerTokens: number;
  readonly sampling: Sampling;
  /** Suffix of a draw that is shown earlier answers (`sources` of its manner). */
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

/** False only where models are named and every one of them is absent. */
export function hasWriter({ absences }: Tree, models: readonly string[]): boolean {
  return models.length === 0 || models.some((model) => !absences.has(model));
}

/** They take turns, and the next one stands in for one that is absent. Undefined where none is named: the search's own model writes it. */
export function writerAt({ absences }: Tree, models: readonly string[], turn: number): string | undefined {
  const inTurn = models.map((_, at) => models[(turn + at) % models.length]!);
  return inTurn.find((model) => !absences.has(model)) ?? inTurn[0];
}

export function writtenBy(model: string | undefined, manner: Manner): Manner {
  return model === undefined ? manner : { ...manner, model };
}
