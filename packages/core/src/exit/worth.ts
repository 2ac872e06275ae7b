// Ends a search whose next sample is not worth its price: e^(-b · lead) / tokens spent is below it (tree/readings/worth.ts). Silent where a
// search has no price. It says nothing of the answer: both a clear vote and a hopeless one end here. (The width rule of the same name,
// scheduler/worth.ts, weighs strands and not samples.)

import { courseOf } from '../tree/readings/worth.ts';
import { type ExitRule, readable } from './exit.ts';

export const worth: ExitRule = {
  name: 'worth',
  check({ tree, belief, limits: { price, rollouts } }) {
    if (price === undefined) return undefined;
    const { isOver, standing } = courseOf(tree, belief.votes(), price, rollouts);
    if (!isOver) return undefined;
    const { samples, lead, spent } = standing;
    return {
      kind: 'settled',
      rule: 'worth',
      evidence: { samples, lead: readable(lead), spent, price: readable(price) },
    };
  },
};
