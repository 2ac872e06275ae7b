// Rules that a policy has by name and that cannot act in a search: scores of this kind, or answers by vote, leave nothing to go by.
// Said where a model is served and with every answer, so that no one takes a name for what it gives elsewhere.

import { type Aggregation, isBound } from '../tree/aggregate.ts';
import { type PolicyName, policyOf } from './policies.ts';

export interface ScoredSearch {
  readonly policy: PolicyName;
  readonly aggregation: Aggregation;
  readonly choose: string;
  readonly answers?: number | undefined;
  /** Options of the search: a rule that a request asked for by name acts. */
  readonly policyOptions: { readonly boundPrune: string };
}

/** In one line; undefined where every rule of the policy can act. */
export function restingRules({
  policy,
  aggregation,
  choose,
  answers = 1,
  policyOptions,
}: ScoredSearch): string | undefined {
  const { boundPrune } = policyOf(policy).settings;
  const rests = boundPrune !== 'off' && policyOptions.boundPrune === 'off';
  const why = rests ? whyResting(aggregation, choose, answers) : undefined;
  return why && `policy '${policy}' ends no rollout early here (bound-${boundPrune}): ${why}`;
}

function whyResting(aggregation: Aggregation, choose: string, answers: number): string | undefined {
  if (!isBound(aggregation)) return `under aggregation '${aggregation}' a low score may rise again`;
  if (choose !== 'best') return `answers are chosen by '${choose}', and a path that cannot win still has a vote`;
  return answers > 1 ? `${answers} answers are wanted, and a path that cannot win may bring another` : undefined;
}
