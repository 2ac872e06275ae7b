// Gives each verdict a sign, short words, and whether its text may look like an answer. Only the server decides the verdict.

import type { Verdict } from '@coppice/core/log';

export interface VerdictLook {
  readonly sign: string;
  readonly words: string;
  readonly tone: string;
  /** False: the text is an attempt, and must not look like an answer. */
  readonly answers: boolean;
}

const looks: Readonly<Record<Verdict, VerdictLook>> = {
  accepted: { sign: '✓', words: 'accepted', tone: 'accepted', answers: true },
  confident: { sign: '●', words: 'confident', tone: 'certain', answers: true },
  likely: { sign: '◐', words: 'likely', tone: 'exhausted', answers: true },
  unsure: { sign: '?', words: 'unsure', tone: 'futile', answers: false },
  none: { sign: '–', words: 'no answer', tone: 'cancelled', answers: false },
};

/** Null until the server has decided; missing in recordings from before verdicts. */
export function verdictLook(verdict: Verdict | null | undefined): VerdictLook {
  if (verdict === null || verdict === undefined)
    return { sign: '…', words: 'no verdict', tone: 'cancelled', answers: false };
  return looks[verdict];
}
