// The parts of a policy that its settings turn on: which exits end a search, which strands are cut, who gets what is idle. Each is a
// knob of its own, so that any can be turned off and what it gives be measured; what a part goes by are further knobs.

import type { PolicyOptions } from './knobs.ts';

/** Everything off: what is left is the program, its budgets, and for each search its natural width. */
export const partsOff = {
  positiveExit: 'off',
  negativeExit: 'off',
  boundPrune: 'off',
  beatPrune: 0,
  certain: 'off',
  eagerReward: 0,
  widths: 'natural',
  boostAt: 'start',
  speculate: 0,
  order: 'fcfs',
} as const satisfies Partial<PolicyOptions>;

export type PartName = keyof typeof partsOff;
/** Settings of a policy: its parts, and from how many rollouts on a search may be boosted. */
export type PolicyParts = Pick<PolicyOptions, PartName | 'gate'>;

export const partNames = Object.keys(partsOff) as readonly PartName[];

export const plainParts: PolicyParts = { ...partsOff, gate: 1 };
