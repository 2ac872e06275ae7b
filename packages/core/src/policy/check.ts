// Refuses a search, before it runs, whose rules do not go with its program or its aggregation.

import { raise } from '../base/fault.ts';
import { boundTrouble } from '../exit/bound.ts';
import type { Program } from '../program/program.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import { createRules, optionsOf } from './create.ts';
import type { PolicyOptions } from './knobs.ts';
import type { PolicyName } from './policies.ts';
import type { Rules } from './policy.ts';

export type RuledProgram = Pick<Program, 'name' | 'expandsOnce' | 'fullAt'>;

function ruleTrouble({ exits, prunes }: Rules, program: RuledProgram, aggregation: Aggregation): string | undefined {
  for (const { name, needsBound } of [...exits, ...prunes]) {
    const why = needsBound ? boundTrouble(name, aggregation) : undefined;
    if (why !== undefined) return why;
  }
  const growing = exits.find(({ needsLeaves }) => needsLeaves && !program.expandsOnce && program.fullAt === undefined);
  if (growing === undefined) return undefined;
  return (
    `rule '${growing.name}' cannot go with program '${program.name}', which adds children to nodes that have some: a tree ` +
    'whose leaves are all futile may still grow a good path. Take a policy without this rule, such as positive'
  );
}

export function checkRules(rules: Rules, program: RuledProgram, aggregation: Aggregation): void {
  const trouble = ruleTrouble(rules, program, aggregation);
  if (trouble !== undefined) raise('bad-setting', trouble);
}

interface RuledSearch {
  readonly wanted: PolicyName;
  /** By name: it is not exchanged then. */
  readonly isAsked: boolean;
  readonly settings: Partial<PolicyOptions>;
  readonly program: RuledProgram;
  readonly aggregation: Aggregation;
}

/**
 * The policy of a request that names none: the model's, or `positive` where its rules do not go with the program or the aggregation.
 * One that was asked for by name is never exchanged: its trouble is told. Throws where the settings of the policy contradict each other. */
export function fittingRules({ wanted, isAsked, ...search }: RuledSearch) {
  const made = checkedRules(wanted, search);
  return made.trouble === undefined || isAsked ? made : checkedRules('positive', search);
}

function checkedRules(policy: PolicyName, { settings, program, aggregation }: Omit<RuledSearch, 'wanted' | 'isAsked'>) {
  const options = optionsOf(policy, settings);
  return { policy, options, trouble: ruleTrouble(createRules(policy, options), program, aggregation) };
}
