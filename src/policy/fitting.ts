// The policy to take where nobody chose one: the wanted one, or `positive` where its rules do not go with the program or
// the aggregation; likewise the prune rules that a model or policy has by itself and that need a bound. What a caller asked for by name is never exchanged; it is
// refused instead (check.ts).

import { FaultError } from '../base/fault.ts';
import { type Aggregation, isBound } from '../tree/aggregate.ts';
import { checkRules, type RuledProgram } from './check.ts';
import { createRules } from './create.ts';
import type { PolicyOptions } from './knobs.ts';
import type { PolicyName } from './policies.ts';

export function fittingPolicy(
  wanted: PolicyName,
  program: RuledProgram,
  aggregation: Aggregation,
  options: Partial<PolicyOptions> = {},
): PolicyName {
  const rules = createRules(wanted, options);
  try {
    checkRules(rules, program, aggregation);
    return wanted;
  } catch (error) {
    if (error instanceof FaultError) return 'positive';
    throw error;
  }
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
