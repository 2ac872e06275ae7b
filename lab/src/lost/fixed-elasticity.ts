// The width rule `worth` as it was: strands are shared out while the last of x stretches the round of all by at most `elasticity` / x,
// the same number on every machine and for every model. No one number was right on all of them (decision 188).

import { boostMoments, lastWorthwhile, shareWidths, stretchOf } from '@coppice/core/scheduler';
import { defineWidths } from 'coppice';

export const fixedElasticity = defineWidths({
  name: 'fixed-elasticity',
  summary: 'as many strands as stretch the round of all by no more than a fixed share',
  options: {
    elasticity: { default: 0.5, low: 0, high: 1, unit: 'per cent per per cent', why: 'what it was until measured' },
    lostGate: { default: 0, low: 0, high: 1_000_000, whole: true, unit: 'completed rollouts', why: 'that of safe' },
    lostBoostAt: { default: 'doubt', values: boostMoments, unit: 'moment', why: 'that of safe' },
  },
  make: ({ elasticity, lostGate: gate, lostBoostAt: boostAt }) => {
    const shares = shareWidths({ gate, boostAt });
    return (seats, budget, nowMs, servers) => {
      if (servers === undefined) return shares(seats, budget, nowMs, servers);
      const needed = seats.reduce((sum, { base }) => sum + base, 0);
      const worth = lastWorthwhile(needed, budget, (strands) => stretchOf(servers, strands) <= elasticity);
      return { ...shares(seats, worth, nowMs, servers), limit: worth };
    };
  },
});
