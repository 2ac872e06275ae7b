// The policies that there are: the rows of P0's comparison (§5.1), TAPER's rule with the positive exit, and ours.

import { raise } from '../base/fault.ts';
import { type PolicyDefinition, partNames, partsOff, policyDefinition } from './definition.ts';
import type { PolicyOptions } from './knobs.ts';

const accepting = { positiveExit: 'on' } as const;

export const policies = [
  policyDefinition({ name: 'vanilla', summary: 'budgets alone: the baseline of P0 §5.1' }),
  policyDefinition({ name: 'positive', summary: 'ends what is accepted; PE in P0', settings: accepting }),
  policyDefinition({
    name: 'positive+strict',
    summary: 'gives up where no path can be accepted any more, P0 §3.4',
    settings: { ...accepting, negativeExit: 'strict' },
  }),
  policyDefinition({
    name: 'positive+negative',
    summary: 'gives up where none is likely to be; PE+NE in P0',
    settings: { ...accepting, negativeExit: 'selective' },
  }),
  policyDefinition({
    name: 'boost',
    summary: "PE+NE+Boosting, P0's full system",
    settings: { ...accepting, negativeExit: 'selective', widths: 'shares' },
  }),
  policyDefinition({
    name: 'taper',
    summary: "TAPER's widths, arXiv 2605.06914",
    settings: { ...accepting, widths: 'slack' },
  }),
  policyDefinition({
    name: 'safe',
    summary: 'gives up on no question',
    settings: { ...accepting, boundPrune: 'best', widths: 'worth', boostAt: 'doubt', gate: 0 },
    contradiction: givesUp,
  }),
] as const;

export type PolicyName = (typeof policies)[number]['name'];
export const policyNames: readonly PolicyName[] = policies.map(({ name }) => name);

function givesUp(settings: PolicyOptions): string | undefined {
  const { negativeExit: rule } = settings;
  if (rule === 'off') return undefined;
  return `policy 'safe' gives up on no question, and negativeExit is '${rule}': take policy 'boost', or turn negativeExit off`;
}

export function policyOf(policy: PolicyName | PolicyDefinition): PolicyDefinition {
  if (typeof policy === 'object') return policy;
  const found = policies.find(({ name }) => name === policy);
  return found ?? raise('bad-setting', `there is no policy '${policy}'; there are ${policyNames.join(', ')}`);
}

/** The parts that a policy has, each as it would be without: what an ablation runs, one at a time. */
export function partsOf(name: PolicyName) {
  const { settings } = policyOf(name);
  return partNames.flatMap((part) => (settings[part] === partsOff[part] ? [] : [{ part, off: partsOff[part] }]));
}
