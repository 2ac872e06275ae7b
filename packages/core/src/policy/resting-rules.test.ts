import { expect, it } from 'vitest';
import { restingRules } from './resting-rules.ts';

const off = { boundPrune: 'off' };
const best = { policy: 'safe', aggregation: 'product', choose: 'best', policyOptions: off } as const;

it('says which rules of a policy rest, and why', () => {
  expect(restingRules({ ...best, aggregation: 'mean' })).toBe(
    "policy 'safe' ends no rollout early here (bound-best): under aggregation 'mean' a low score may rise again",
  );
  expect(restingRules({ ...best, choose: 'vote' })).toBe(
    "policy 'safe' ends no rollout early here (bound-best): answers are chosen by 'vote', and a path that cannot win still has a vote",
  );
  expect(restingRules({ ...best, answers: 3 })).toContain('3 answers are wanted');
});

it('says nothing where all of them act, or the policy has none', () => {
  const on = { boundPrune: 'best' };
  expect(restingRules({ ...best, aggregation: 'minimum', policyOptions: on })).toBeUndefined();
  expect(restingRules({ ...best, choose: 'vote', policyOptions: on })).toBeUndefined();
  expect(restingRules({ ...best, policy: 'positive', aggregation: 'last' })).toBeUndefined();
});
