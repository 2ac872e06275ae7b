// The program of a request: the one that it or its model's configuration names, or the one that suits what can judge and compare its
// answers. A plan names what this gives.

import { asksForShortAnswer } from '../../answer/asked.ts';
import { extractAnswer } from '../../answer/extract.ts';
import { namedParts } from '../../config/named-options.ts';
import { ruledProgram, ruleSettings } from '../../config/vocabulary.ts';
import type { ProgramName } from '../../program/registry/programs.ts';
import type { Prompt } from '../../tree/step.ts';
import { lastAsked } from '../question.ts';
import type { PlannedModel, Wish } from './search-plan.ts';

export interface ProgramChoice {
  readonly name: ProgramName;
  readonly options?: Readonly<Record<string, number>>;
  /** Part of the rollouts that an effort buys. */
  readonly share?: number;
  /** Samples, whatever an effort buys, each of one step: texts that nothing compares are given as they are. */
  readonly samples?: number;
}

/** Undefined: one generation without search. `asked` is unset where no question is known yet: then it is one with a short answer. */
export function programChoice(asked: Prompt | undefined, wish: Wish, model: PlannedModel): ProgramChoice | undefined {
  const { config, verifier } = model;
  const { kind } = config.verifier;
  if (wish.effort === 'none') return undefined;
  if (wish.program !== undefined || config.program !== 'auto') return { name: wish.program ?? config.program };
  const isExact = verifier !== undefined && (kind === 'exact' || config.check === 'lines');
  if (isExact || isRuled(wish)) return { name: ruledProgram };
  // Tests say which answer is right: one sample after the other, until one passes.
  if (verifier !== undefined && (kind === 'command' || wish.tests !== undefined))
    return { name: 'best-of-n', options: { window: 1 } };
  if (isComparable(asked, wish, model)) return { name: 'auto' };
  // A model's own confidence does not judge its texts.
  if (verifier !== undefined && kind !== 'confidence') return { name: 'best-of-n', share: 1 / 4 };
  const { answers = 1, onUnaccepted = config.onUnaccepted } = wish;
  return answers === 1 && onUnaccepted === 'best' ? undefined : { name: 'self-consistency', samples: answers };
}

/** Names a rule, or options of a program or rule. */
function isRuled(wish: Wish): boolean {
  return [...ruleSettings, ...namedParts().keys()].some((name) => wish[name as keyof Wish] !== undefined);
}

function isComparable(asked: Prompt | undefined, { shape }: Wish, { form, extract, embedder }: PlannedModel): boolean {
  const isRead = form !== undefined || (extract !== undefined && extract !== extractAnswer);
  return isRead || shape !== undefined || embedder !== undefined || !asked || asksForShortAnswer(lastAsked(asked));
}
