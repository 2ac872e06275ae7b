// Gives each kind of exit a sign, which carries the meaning where colour cannot be seen. The words are those of the log, which the terminal
// prints too.

import { type ExitKind, endings } from '@coppice/core/log';

export interface ExitLook {
  readonly kind: ExitKind;
  readonly sign: string;
  readonly about: string;
}

const signs: Readonly<Record<ExitKind, string>> = {
  accepted: '✓',
  certain: '≡',
  settled: '≈',
  exhausted: '○',
  futile: '⊘',
  deadline: '◷',
  cancelled: '–',
  failed: '!',
};

export const exitLooks: readonly ExitLook[] = (Object.keys(signs) as ExitKind[]).map((kind) => ({
  kind,
  sign: signs[kind],
  about: endings[kind],
}));
