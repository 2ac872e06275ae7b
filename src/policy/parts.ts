// A policy is a setting of its parts: which exits end a search, which strands are cut, who gets what is idle. Each part is a
// knob of its own, so that any can be turned off and what it gives be measured; what a part goes by are further knobs.

import type { PolicyOptions } from './knobs.ts';
import type { PolicyName } from './policy.ts';

/** Everything off: what is left is the program, its budgets, and one natural width for everyone. */
export const partsOff = {
  positiveExit: 'off',
  negativeExit: 'off',
  boundPrune: 'off',
  widths: 'natural',
  speculate: 0,
} as const satisfies Partial<PolicyOptions>;

export type PartName = keyof typeof partsOff;
export type PolicyParts = Pick<PolicyOptions, PartName>;

export const partNames = Object.keys(partsOff) as readonly PartName[];

const accepting = { ...partsOff, positiveExit: 'on' } as const;
const safe = { ...accepting, boundPrune: 'best', widths: 'worth' } as const;

/** The rows of P0's comparison (§5.1), TAPER's rule with the positive exit, and ours. */
export const policyParts: Readonly<Record<PolicyName, PolicyParts>> = {
  vanilla: partsOff,
  positive: accepting,
  'positive+strict': { ...accepting, negativeExit: 'strict' },
  'positive+negative': { ...accepting, negativeExit: 'selective' },
  boost: { ...accepting, negativeExit: 'selective', widths: 'shares' },
  taper: { ...accepting, widths: 'slack' },
  safe,
  fast: { ...safe, negativeExit: 'selective' },
};
