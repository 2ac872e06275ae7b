// The policy of a request that names none: the model's, or `positive` where its rules do not go with the program or the aggregation.
// A policy that was asked for by name is never exchanged; it is refused instead (check.ts).

import type { Aggregation } from '../tree/aggregate.ts';
import { type RuledProgram, type RuleTrouble, ruleTrouble } from './check.ts';
import { createRules, optionsOf } from './create.ts';
import type { PolicyOptions } from './knobs.ts';
import type { PolicyName } from './policies.ts';

export interface RuledSearch {
  readonly wanted: PolicyName;
  /** By name: it is not exchanged then. */
  readonly isAsked: boolean;
  readonly settings: Partial<PolicyOptions>;
  readonly program: RuledProgram;
  readonly aggregation: Aggregation;
}

export interface FittingRules {
  readonly policy: PolicyName;
  readonly options: PolicyOptions;
  readonly trouble: RuleTrouble | undefined;
}

/** Throws where the settings of the policy contradict each other. */
export function fittingRules({ wanted, isAsked, ...search }: RuledSearch): FittingRules {
  const made = checkedRules(wanted, search);
  return made.trouble === undefined || isAsked ? made : checkedRules('positive', search);
}

function checkedRules(
  policy: PolicyName,
  { settings, program, aggregation }: Omit<RuledSearch, 'wanted' | 'isAsked'>,
): FittingRules {
  const options = optionsOf(policy, settings);
  const rules = createRules(policy, options);
  return { policy, options, trouble: ruleTrouble(rules, program, aggregation) };
}
