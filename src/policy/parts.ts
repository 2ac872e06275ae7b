// A policy is a setting of its parts: which exits end a search, which strands are cut, who gets what is idle. Each part is a
// knob of its own, so that any can be turned off and what it gives be measured; what a part goes by are further knobs.

import type { PolicyOptions } from './knobs.ts';
import type { PolicyName } from './policy.ts';

/** Everything off: what is left is the program, its budgets, and one natural width for everyone. */
export const partsOff = {
  positiveExit: 'off',
  negativeExit: 'off',
  settledExit: 'off',
  boundPrune: 'off',
  beatPrune: 0,
  eagerReward: 0,
  widths: 'natural',
  boostAt: 'start',
  speculate: 0,
} as const satisfies Partial<PolicyOptions>;

export type PartName = keyof typeof partsOff;
/** What a policy sets: its parts, and from how many rollouts on a search may be boosted. */
export type PolicyParts = Pick<PolicyOptions, PartName | 'gate'>;

export const partNames = Object.keys(partsOff) as readonly PartName[];

const plain = { ...partsOff, gate: 1 } as const;
const accepting = { ...plain, positiveExit: 'on' } as const;
const safe = { ...accepting, boundPrune: 'best', beatPrune: 0.2, widths: 'worth', boostAt: 'doubt', gate: 0 } as const;

/** The rows of P0's comparison (§5.1), TAPER's rule with the positive exit, and ours. */
export const policyParts: Readonly<Record<PolicyName, PolicyParts>> = {
  vanilla: plain,
  positive: accepting,
  'positive+strict': { ...accepting, negativeExit: 'strict' },
  'positive+negative': { ...accepting, negativeExit: 'selective' },
  boost: { ...accepting, negativeExit: 'selective', widths: 'shares' },
  taper: { ...accepting, widths: 'slack' },
  safe,
  fast: { ...safe, negativeExit: 'selective', settledExit: 'on', eagerReward: 0.9 },
};

/** A part of a policy, and what turns it off. */
export interface PartOff {
  readonly part: PartName;
  readonly off: PolicyParts[PartName];
}

/** The parts that a policy has, each as it would be without: what an ablation runs, one at a time. */
export function partsOf(name: PolicyName): PartOff[] {
  const own = policyParts[name];
  return partNames.flatMap((part) => (own[part] === partsOff[part] ? [] : [{ part, off: partsOff[part] }]));
}

/** What is wrong with a policy whose parts were set so, in words; undefined where nothing is. */
export function contradiction(name: PolicyName, options: PolicyOptions): string | undefined {
  const part = (['negativeExit', 'settledExit'] as const).find((each) => options[each] !== 'off');
  if (name !== 'safe' || part === undefined) return undefined;
  return `policy 'safe' gives up on no question, and ${part} is '${options[part]}': take policy 'fast', or turn ${part} off`;
}
