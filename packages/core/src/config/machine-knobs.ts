// The budget of a model and what is checked of its steps, as the configuration and the flags of `ask` and `bench` set them.

import type { ChoiceKnob, NumberKnob } from '../base/knob.ts';
import { checkNames } from '../verifier/checked-verifier.ts';

export const budgetKnob = {
  default: 32,
  low: 1,
  high: 100_000,
  whole: true,
  unit: 'strands',
  why: 'M: open at a time over all searches; near the knee of the engine, see `coppice doctor`',
} as const satisfies NumberKnob;

export const budgetPerKnob = {
  default: 'model',
  values: ['model', 'replica'],
  unit: 'what',
  why: "whose strands budget counts: the model's, or those of each replica that may get work. Where replicas are listed and budget is unset it is replica, so that the budget follows the list",
} as const satisfies ChoiceKnob;

/** What is computed about a step before the verifier is asked. */
export const checkKnob = {
  default: 'none',
  values: checkNames,
  unit: 'what',
  why: "arithmetic: a step with a false equation scores 0. lines: the task's own checker as well, whose true lines score 1",
} as const;
