// Sources of a step's probability: P(s, a) of PUCT, and the share of lines that best-first search has not seen.

import type { Knobs } from '../base/knob.ts';

const priorNames = ['logprob', 'draws', 'uniform'] as const;
/** From the step's log probability, from how often the step was drawn, or the same for all siblings. */
export type Prior = (typeof priorNames)[number];

export const priorKnob = {
  default: 'logprob',
  values: priorNames,
  client: 'coppice',
  unit: 'P of a step',
  why: 'shares of draws and a uniform prior need no log probabilities, which cost a server time (decision 50)',
} as const satisfies Knobs[string];
