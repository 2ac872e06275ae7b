// The bound under the negative exits: with `product` and `minimum` no continuation can score higher than
// the node it starts from (P0 §3.4; rewards are at most 1, and rounding keeps the order: p * r <= p in floating point).
// Under `sum`, `mean` and `last` a bad beginning can be made up for, so these rules refuse instead of guessing.

import { raise } from '../base/fault.ts';
import { type Aggregation, isBound } from '../tree/aggregate.ts';

export function requireBound(rule: string, aggregation: Aggregation): void {
  const why = boundTrouble(rule, aggregation);
  if (why !== undefined) raise('bad-setting', why);
}

export function boundTrouble(rule: string, aggregation: Aggregation): string | undefined {
  if (isBound(aggregation)) return undefined;
  return (
    `rule '${rule}' needs aggregation 'product' or 'minimum', not '${aggregation}': only there is a path's score ` +
    'an upper bound for every continuation. Change the aggregation, or take a policy without this rule'
  );
}
