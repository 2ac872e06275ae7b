// The cost of a generator that predicts several tokens at a time (P3 §6.5): a pass computes `tokens` rows for every sequence, reads each context once,
// and yields `accepted` tokens. The number of accepted tokens is assumed, not measured.

import { type CostModel, curve, valueAt } from '@coppice/core/cost';

export interface TokenTree {
  /** Rows of a sequence in one pass. */
  readonly tokens: number;
  /** Tokens that a pass brings on average. */
  readonly accepted: number;
}

export function draftedCost(cost: CostModel, { tokens, accepted }: TokenTree): CostModel {
  return {
    ...cost,
    name: `${cost.name}, ${tokens} tokens a pass`,
    decodeCurve: (batch) => {
      const own = cost.decodeCurve(batch);
      const rows = cost.decodeCurve(batch * tokens);
      const extra = Math.max(0, valueAt(rows, 1) - valueAt(own, 1));
      return curve(own.x.map((x, at) => [x, (own.y[at]! + extra) / accepted] as const));
    },
  };
}
