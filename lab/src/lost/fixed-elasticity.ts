// The former width rule `gain`: gives out strands while the last of x lengthens all searches' round by at most `elasticity` / x,
// the same number for every machine and model. No single number was right for all of them (decision 188).

import { lastWorthwhile, stretchOf } from '@coppice/core/cost';
import { isDoubted, sharedWidths } from '@coppice/core/scheduler';
import { defineWidths } from 'coppice';

export const fixedElasticity = defineWidths({
  name: 'fixed-elasticity',
  summary: 'as many strands as stretch the round of all by no more than a fixed share',
  options: {
    elasticity: { default: 0.5, low: 0, high: 1, unit: 'per cent per per cent', why: 'what it was until measured' },
  },
  make: ({ elasticity }) => {
    const shares = sharedWidths(isDoubted);
    return (seats, budget, nowMs, servers) => {
      if (servers === undefined) return shares(seats, budget, nowMs, servers);
      const needed = seats.reduce((sum, { base }) => sum + base, 0);
      const worth = lastWorthwhile(needed, budget, (strands) => stretchOf(servers, strands) <= elasticity);
      return { ...shares(seats, worth, nowMs, servers), limit: worth };
    };
  },
});
