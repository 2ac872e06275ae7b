// Ends a search whose next sample is not worth its price: e^(-b · lead) / tokens spent is below it (tree/readings/worth.ts). Silent where a
// search has no price. It says nothing of the answer: both a clear vote and a hopeless one end here.

import { courseOf, worthOf } from '../tree/readings/worth.ts';
import { type ExitRule, readable } from './exit.ts';

export const worth: ExitRule = {
  name: 'worth',
  check({ tree, limits: { price: usual, rollouts } }) {
    const { terms } = tree;
    if (terms === undefined || usual === undefined) return undefined;
    const { isOver, standing } = courseOf(tree, rollouts);
    if (!isOver) return undefined;
    const { samples, lead, spent } = standing;
    const { price } = terms;
    const evidence = { samples, lead: readable(lead), spent: Math.round(spent), price: readable(price) };
    const load = price > usual ? { load: readable(price / usual) } : {};
    const isSettled = worthOf(standing) < price;
    return {
      kind: isSettled ? 'settled' : 'exhausted',
      rule: isSettled ? 'worth' : 'rollouts',
      evidence: { ...evidence, ...load },
    };
  },
};
