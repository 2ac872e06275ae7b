// How a search ended, for the eye: a sign, a colour class and a sentence for each kind. The sign carries the meaning
// where colour cannot be seen.

export interface ExitLook {
  readonly kind: string;
  readonly sign: string;
  readonly about: string;
}

export const exitLooks: readonly ExitLook[] = [
  { kind: 'accepted', sign: '✓', about: 'a finished path reached the threshold' },
  { kind: 'certain', sign: '≡', about: 'the answers agree' },
  { kind: 'settled', sign: '≈', about: 'more work is unlikely to make the answer right' },
  { kind: 'exhausted', sign: '○', about: 'the budget is spent, or nothing is left to grow' },
  { kind: 'futile', sign: '⊘', about: 'no path can reach the threshold any more' },
  { kind: 'deadline', sign: '◷', about: 'out of time: the best so far' },
  { kind: 'cancelled', sign: '–', about: 'stopped by the client' },
  { kind: 'failed', sign: '!', about: 'engine or verifier could not go on' },
];

export function exitLook(kind: string): ExitLook {
  return exitLooks.find((each) => each.kind === kind) ?? { kind, sign: '?', about: kind };
}
