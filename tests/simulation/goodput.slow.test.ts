// Goodput under overload by the measure of `npm run bench -- goodput`, in virtual time: deterministic by seed.

import { expect, it } from 'vitest';
import { measureOverload } from '../../lab/src/micro/overload.ts';
import { runVirtually } from '../support/virtual-gateway.ts';

const size = { requests: 200, alone: { requests: 31, perSecond: 0.01 }, startPerSecond: 0.5, halvings: 3 };

it.each([
  ['a narrow server', { budget: 4, rollouts: 4, seed: 1 }],
  ['a wider one', { budget: 8, rollouts: 8, seed: 2 }],
] as const)('%s keeps nine tenths of its goodput at ten times its capacity', async (_, server) => {
  const run = { setting: 'math500/8b', policy: 'positive', ...server } as const;
  const { capacity, overloaded, kept } = await measureOverload((load) => runVirtually({ ...run, ...load }), size);
  expect(capacity.completeShare).toBeGreaterThanOrEqual(0.95);
  expect(kept).toBeGreaterThanOrEqual(0.9);
  expect([capacity.empty, overloaded.empty]).toEqual([0, 0]);
});
