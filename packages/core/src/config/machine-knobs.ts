// The budget of a model and what is checked of its steps, as the configuration and the flags of `ask` and `bench` set them.

import type { NumberKnob } from '../base/knob.ts';
import { checkNames } from '../verifier/checked-verifier.ts';

export const budgetKnob = {
  default: 32,
  low: 1,
  high: 100_000,
  whole: true,
  unit: 'strands',
  why: 'M: open at a time over all searches, on each replica where replicas are listed; near the knee of the engine, see `coppice doctor`',
} as const satisfies NumberKnob;

/** Checks of a step before the verifier is asked. */
export const checkKnob = {
  default: 'none',
  values: checkNames,
  unit: 'what',
  why: "arithmetic: a step with a false equation scores 0. lines: the task's own checker as well, whose true lines score 1",
} as const;
