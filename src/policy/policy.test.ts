// What each named policy is made of, and what its options refuse.

import { describe, expect, it } from 'vitest';
import { FaultError } from '../base/fault.ts';
import { createBeam } from '../program/beam.ts';
import { createBestOfN } from '../program/best-of-n.ts';
import { createMcts } from '../program/mcts/mcts.ts';
import { checkRules } from './check.ts';
import { createPolicy } from './create.ts';
import { fittingPolicy } from './fitting.ts';
import { defaultOptions, type PolicyOptions, policyKnobs } from './knobs.ts';
import { type PolicyName, policyNames } from './policy.ts';

const budgets = ['rollouts', 'tokens', 'time', 'deadline'];

describe('policies', () => {
  it.each([
    ['vanilla', [], false, 'natural'],
    ['positive', ['positive'], false, 'natural'],
    ['positive+strict', ['positive', 'negative-strict'], false, 'natural'],
    ['positive+negative', ['positive', 'negative-selective'], false, 'natural'],
    ['boost', ['positive', 'negative-selective'], true, 'boost-admit-first'],
  ] as const)('%s exits by %j, then by its budgets', (name, exits, boost, scheduler) => {
    const policy = createPolicy(name);
    expect(policy.name).toBe(name);
    expect(policy.rules.exits.map((rule) => rule.name)).toEqual([...exits, ...budgets]);
    expect(policy.rules.prunes).toEqual([]);
    expect(policy.rules.boost).toBe(boost);
    expect(policy.scheduler.name).toBe(scheduler);
  });

  it('prune where they are told to', () => {
    const { rules } = createPolicy('boost', { boundPrune: 'best', chancePrune: 0.05 });
    expect(rules.prunes.map(({ name }) => name)).toEqual(['bound-best', 'chance']);
  });

  it('give freed strands first to whom they are told', () => {
    expect(createPolicy('boost', { first: 'boost' }).scheduler.name).toBe('boost-boost-first');
  });
});

describe('options', () => {
  it('have defaults within their own bounds', () => {
    expect(Object.keys(defaultOptions)).toEqual(Object.keys(policyKnobs));
    for (const name of policyNames) createPolicy(name, defaultOptions);
  });

  it.each<[unknown, RegExp]>([
    [{ beta: -1 }, /beta is -1; it must be a number from 0 to 1000/],
    [{ beta: Number.NaN }, /beta is NaN/],
    [{ gate: 1.5 }, /gate is 1.5; it must be a whole number/],
    [{ firstDepthCut: 1.1 }, /firstDepthCut is 1.1.*from 0 to 1/],
    [{ first: 'me' }, /first is 'me'; it must be one of admit, boost/],
    [{ boundPrune: 3 }, /boundPrune is 3; it must be one of off, threshold, best/],
    [{ bata: 1 }, /no option 'bata'; there are .*beta/],
    [{ toString: 1 }, /no option 'toString'/],
  ])('refuse %j', (given, message) => {
    expect(() => createPolicy('boost', given as Partial<PolicyOptions>)).toThrow(FaultError);
    expect(() => createPolicy('boost', given as Partial<PolicyOptions>)).toThrow(message);
  });

  it('refuse a policy that does not exist', () => {
    expect(() => createPolicy('bost' as PolicyName)).toThrow(/no policy 'bost'; there are vanilla, positive/);
  });
});

describe('a search is refused before it runs', () => {
  const mcts = createMcts();

  it.each(['sum', 'mean', 'last'] as const)('where its rules need a bound and it aggregates by %s', (aggregation) => {
    checkRules(createPolicy('positive').rules, mcts, aggregation);
    for (const policy of [createPolicy('positive+strict'), createPolicy('positive', { boundPrune: 'best' })]) {
      checkRules(policy.rules, mcts, 'product');
      expect(() => checkRules(policy.rules, mcts, aggregation)).toThrow(new RegExp(`bad-setting.*'${aggregation}'`));
    }
  });

  it('where a negative exit meets a program that comes back to a node', () => {
    checkRules(createPolicy('positive').rules, createBestOfN(), 'product');
    checkRules(createPolicy('positive+negative').rules, createBeam(), 'product');
    expect(() => checkRules(createPolicy('positive+negative').rules, createBestOfN(), 'product')).toThrow(
      /bad-setting.*negative-selective.*best-of-n/,
    );
  });
});

describe('the policy that nobody chose', () => {
  it('is the wanted one, or positive where its rules do not fit', () => {
    expect(fittingPolicy('boost', createMcts(), 'product')).toBe('boost');
    expect(fittingPolicy('boost', createBestOfN(), 'product')).toBe('positive');
    expect(fittingPolicy('boost', createMcts(), 'mean')).toBe('positive');
    expect(fittingPolicy('vanilla', createBestOfN(), 'mean')).toBe('vanilla');
  });
});
