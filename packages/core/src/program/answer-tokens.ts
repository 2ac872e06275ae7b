// The limit of what a program has written in one piece, to the end of an answer: aggregate, panel, pairwise, refine, tot and rstar share it. Steps have stepTokens.

import type { NumberKnob } from '../base/knob.ts';

export const answerTokensKnob = {
  default: 1024,
  low: 1,
  high: 1_000_000,
  whole: true,
  client: 'coppice',
  unit: 'tokens',
  why: 'longest end of an answer that aggregate, panel, pairwise, refine, tot or rstar writes in one piece; for aggregate the context must hold five of them',
} as const satisfies NumberKnob;
