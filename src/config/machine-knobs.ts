// What the embedded engine and the budget of a model can be told, in the configuration and by the flags of `ask` and `bench`.

import type { ChoiceKnob, Knobs, NumberKnob } from '../base/knob.ts';
import { gpuNames } from '../engine/llama/gpu/gpu-names.ts';
import { checkNames } from '../verifier/exact/checked-verifier.ts';

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

export const engineKnobs = {
  contextTokens: {
    default: 8192,
    low: 64,
    high: 10_000_000,
    whole: true,
    unit: 'tokens',
    why: 'cells of each cache, shared by all branches',
  },
  kvBytes: {
    low: 1,
    high: 2 ** 50,
    whole: true,
    unit: 'bytes',
    why: 'memory of generator and reward model together, split at the start by what each costs here (4 s); goes before contextTokens',
  },
  threads: {
    low: 1,
    high: 256,
    whole: true,
    unit: 'threads',
    why: 'for the computation of each model; where unset a generator alone takes what a trial at the start found fastest, beside a reward model one each',
  },
  gpu: {
    default: 'auto',
    values: gpuNames,
    unit: 'library',
    why: 'what the embedded engine computes on: auto takes a GPU where the package for one is installed and a trial succeeds',
  },
} as const satisfies Knobs;

/** What is computed about a step before the verifier is asked. */
export const checkKnob = {
  default: 'none',
  values: checkNames,
  unit: 'what',
  why: "arithmetic: a step with a false equation scores 0. lines: the task's own checker as well, whose true lines score 1",
} as const;
