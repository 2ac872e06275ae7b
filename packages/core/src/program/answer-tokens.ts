// The limit of what a program has written in one piece, to the end of an answer: panel, refine, tot and rstar share it. Steps have stepTokens.

import type { NumberKnob } from '../base/knob.ts';

export const answerTokensKnob = {
  default: 1024,
  low: 1,
  high: 1_000_000,
  whole: true,
  client: 'coppice',
  unit: 'tokens',
  why: 'longest end of an answer that panel, refine, tot or rstar writes in one piece',
} as const satisfies NumberKnob;
