// The policies that there are: the rows of P0's comparison (§5.1), ours, and those that a package registers.

import { raise } from '../base/fault.ts';
import { packageOf } from '../base/unknown-names.ts';
import { type PolicyDefinition, policyDefinition } from './definition.ts';
import type { PolicyOptions } from './knobs.ts';

const accepting = { positiveExit: 'on' } as const;

const core = [
  policyDefinition({ name: 'vanilla', summary: 'budgets alone: the baseline of P0 §5.1' }),
  policyDefinition({ name: 'positive', summary: 'ends what is accepted; PE in P0', settings: accepting }),
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
    name: 'safe',
    summary: 'gives up on no question',
    settings: { ...accepting, boundPrune: 'best', widths: 'gain' },
    contradiction: givesUp,
  }),
] as const;

/** A policy of core, or one that a package registers. */
export type PolicyName = (typeof core)[number]['name'] | (string & Record<never, never>);

const registered: PolicyDefinition[] = [...core];

export function registerPolicies(definitions: readonly PolicyDefinition[]): void {
  registered.push(...definitions.filter(({ name }) => !registered.some((each) => each.name === name)));
}

export function policies(): readonly PolicyDefinition[] {
  return registered;
}

export function policyNames(): readonly PolicyName[] {
  return registered.map(({ name }) => name);
}

function givesUp(settings: PolicyOptions): string | undefined {
  const { negativeExit: rule } = settings;
  if (rule === 'off') return undefined;
  return `policy 'safe' gives up on no question, and negativeExit is '${rule}': take policy 'boost', or turn negativeExit off`;
}

export function policyOf(policy: PolicyName | PolicyDefinition): PolicyDefinition {
  if (typeof policy === 'object') return policy;
  const found = registered.find(({ name }) => name === policy);
  if (found !== undefined) return found;
  const missing = packageOf('policy', policy) ?? `which is none of ${policyNames().join(', ')}`;
  return raise('bad-setting', `policy is '${policy}', ${missing}`);
}
