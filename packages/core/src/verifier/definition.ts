// The definition of a verifier: its name, its options and how it is made. A function that scores one step is enough.

import type { Knobs } from '../base/knob.ts';
import {
  checkPartOptions,
  definedPart,
  type NamedPart,
  type NoOptions,
  optionsOfPart,
  type PartInput,
  type PartOptions,
  type PlugIn,
} from '../base/part.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import { JudgingVerifier, type ScoreStep } from './judging-verifier.ts';
import { questionOf } from './scorer.ts';
import type { Verifier } from './verifier.ts';

export type ScoreText = (question: string, steps: readonly string[]) => ReturnType<ScoreStep>;

export interface ScoringTraits {
  readonly aggregation?: Aggregation;
  readonly readsLogprobs?: boolean;
  /** See VerifierCapabilities. */
  readonly exact?: boolean;
}

export type VerifierPart = PlugIn<Verifier | ScoreStep> & ScoringTraits;

export function defineVerifier(score: ScoreText): VerifierPart;
export function defineVerifier<const Name extends string, const Options extends Knobs = NoOptions>(
  part: PartInput<Verifier | ScoreStep, Name, Options> & ScoringTraits,
): NamedPart<Verifier | ScoreStep, Name, Options> & ScoringTraits;
export function defineVerifier(part: ScoreText | (PartInput<Verifier | ScoreStep, string, Knobs> & ScoringTraits)) {
  return definedPart(typeof part === 'function' ? partOf(part) : part, ['aggregation', 'readsLogprobs', 'exact']);
}

function partOf(score: ScoreText): PartInput<ScoreStep, string, NoOptions> & ScoringTraits {
  const scoreStep: ScoreStep = ({ prompt, path, step }) => {
    const steps = [...path.map((each) => each.step.text), step.text];
    return score(questionOf(prompt), steps);
  };
  return { name: score.name || 'own', summary: 'a function of question and steps', make: () => scoreStep };
}

export function makeVerifier(verifier: Verifier | VerifierPart, options: PartOptions = {}): Verifier {
  if (!('make' in verifier)) return verifier;
  checkPartOptions(`verifier '${verifier.name}'`, [verifier], options, 'verifierOptions');
  const made = verifier.make(optionsOfPart(verifier, options));
  if (typeof made !== 'function') return made;
  const { name, aggregation = 'product', readsLogprobs = false, exact = false } = verifier;
  return new JudgingVerifier({ name, aggregation, reusesPrefix: true, readsLogprobs, exact }, made);
}
