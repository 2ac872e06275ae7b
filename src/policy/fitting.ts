// The policy of a request that names none: the model's, or `positive` where its rules do not go with the program or
// the aggregation; likewise the prune rules that a model or policy has by itself and that need a bound. What a caller asked for by name is never exchanged; it is
// refused instead (check.ts).

import { FaultError } from '../base/fault.ts';
import { type Aggregation, isBound } from '../tree/aggregate.ts';
import { checkRules, type RuledProgram } from './check.ts';
import { createRules, optionsOf } from './create.ts';
import type { PolicyOptions } from './knobs.ts';
import type { PolicyName } from './policies.ts';
import type { Rules } from './policy.ts';

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
  readonly rules: Rules;
  /** Why the rules do not go with program or aggregation; undefined where they do. */
  readonly trouble: string | undefined;
}

/** The policy with its rules, made once. Throws where its settings contradict each other. */
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
  try {
    checkRules(rules, program, aggregation);
    return { policy, options, rules, trouble: undefined };
  } catch (error) {
    if (error instanceof FaultError) return { policy, options, rules, trouble: error.fault.message };
    throw error;
  }
}

export function fittingPolicy(
  wanted: PolicyName,
  program: RuledProgram,
  aggregation: Aggregation,
  settings: Partial<PolicyOptions> = {},
): PolicyName {
  return fittingRules({ wanted, isAsked: false, settings, program, aggregation }).policy;
}

/** What was set for a search, without rules that need a bound where its aggregation gives none and only its model or policy asks for them. */
export function fittingSettings(
  settings: Partial<PolicyOptions>,
  asked: { readonly boundPrune?: PolicyOptions['boundPrune'] | undefined; readonly beatPrune?: number | undefined },
  aggregation: Aggregation,
): Partial<PolicyOptions> {
  if (isBound(aggregation)) return settings;
  return { ...settings, boundPrune: asked.boundPrune ?? 'off', beatPrune: asked.beatPrune ?? 0 };
}
