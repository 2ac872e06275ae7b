// What each named policy is made of, and what its options refuse.

import { describe, expect, it } from 'vitest';
import { createBeam } from '../../../papers/src/levels/beam.ts';
import { FaultError } from '../base/fault.ts';
import { createBestOfN } from '../program/best-of-n.ts';
import { createMcts } from '../program/mcts/mcts.ts';
import { checkRules, fittingRules, type RuledProgram } from './check.ts';
import { createPolicy, createSharedScheduler, optionsOf } from './create.ts';
import { type PolicyOptions, policyKnobs } from './knobs.ts';
import { type PolicyName, policyNames } from './policies.ts';

const budgets = ['concluded', 'worth', 'rollouts', 'tokens', 'money', 'deadline', 'nodes'];

describe('policies', () => {
  it.each([
    ['vanilla', [], [], 'natural'],
    ['positive', ['positive'], [], 'natural'],
    ['positive+strict', ['positive', 'negative-strict'], [], 'natural'],
    ['positive+negative', ['positive', 'negative-selective'], [], 'natural'],
    ['boost', ['positive', 'negative-selective'], [], 'shares'],
    ['taper', ['positive'], [], 'slack'],
    ['safe', ['positive'], ['bound-best'], 'gain'],
  ] as const)(
    '%s exits by %j, then by what its program concludes and its budgets, and prunes by %j',
    (name, exits, prunes, scheduler) => {
      const policy = createPolicy(name);
      expect(policy.name).toBe(name);
      expect(policy.rules.exits.map((rule) => rule.name)).toEqual([...exits, ...budgets]);
      expect(policy.rules.prunes.map((rule) => rule.name)).toEqual(prunes);
      expect(policy.rules.boost).toBe(scheduler !== 'natural');
      expect(policy.scheduler.name).toBe(scheduler);
    },
  );

  it('prune where they are told to, and exit by the rules of packages', () => {
    const { rules } = createPolicy('boost', { boundPrune: 'best', certain: 'lead' } as Partial<PolicyOptions>);
    expect(rules.prunes.map(({ name }) => name)).toEqual(['bound-best']);
    expect(rules.exits.map(({ name }) => name)).toEqual(['positive', 'negative-selective', 'lead', ...budgets]);
  });
});

describe('options', () => {
  it('have defaults within their own bounds', () => {
    for (const name of policyNames()) {
      const options = optionsOf(name, {});
      expect(new Set(Object.keys(options))).toEqual(new Set(Object.keys(policyKnobs)));
      createPolicy(name, options);
    }
  });

  it("are the policy's own where no setting is given, and any part can be turned", () => {
    expect(optionsOf('safe', {}).boundPrune).toBe('best');
    expect(optionsOf('safe', { boundPrune: 'off' }).boundPrune).toBe('off');
    expect(createPolicy('safe', { widths: 'natural', boundPrune: 'off' }).rules).toMatchObject({
      prunes: [],
      boost: false,
    });
    expect(createPolicy('boost', { positiveExit: 'off', negativeExit: 'off' }).rules.exits[0]?.name).toBe('concluded');
  });

  it('of the model decide how its searches share what is idle, even where its own policy boosts no search', () => {
    expect(createSharedScheduler('positive').name).toBe('gain');
    expect(createSharedScheduler('boost').name).toBe('shares');
    expect(createSharedScheduler('positive', { widths: 'natural' }).name).toBe('natural');
  });

  it("of the searches' own exits are none of the scheduler's business, and a policy is refused only for what it is itself", () => {
    for (const name of ['vanilla', 'positive', 'taper'] as const) {
      expect(createSharedScheduler(name, { negativeExit: 'strict' }).name).toBe(name === 'taper' ? 'slack' : 'gain');
    }
    expect(() => createSharedScheduler('safe', { negativeExit: 'strict' })).toThrow(
      "policy 'safe' gives up on no question",
    );
    expect(() => createSharedScheduler('positive', { gate: -1 })).toThrow(/gate is -1/);
  });

  it.each<[unknown, RegExp]>([
    [{ firstDepthCut: Number.NaN }, /firstDepthCut is NaN/],
    [{ certain: 'me' }, /certain is 'me'; it must be one of off, threshold/],
    [{ gate: 1.5 }, /gate is 1.5; it must be a whole number/],
    [{ firstDepthCut: 1.1 }, /firstDepthCut is 1.1.*from 0 to 1/],
    [{ boundPrune: 3 }, /boundPrune is 3; it must be one of off, threshold, best/],
    [{ gaet: 1 }, /no option 'gaet'; there are .*gate/],
    [{ toString: 1 }, /no option 'toString'/],
  ])('refuse %j', (given, message) => {
    expect(() => createPolicy('boost', given as Partial<PolicyOptions>)).toThrow(FaultError);
    expect(() => createPolicy('boost', given as Partial<PolicyOptions>)).toThrow(message);
  });

  it('refuse parts that contradict the policy, and name the way out', () => {
    expect(() => createPolicy('safe', { negativeExit: 'strict' })).toThrow(
      /gives up on no question.*take policy 'boost'/,
    );
    createPolicy('boost', { negativeExit: 'off' });
  });

  it('refuse a policy that does not exist', () => {
    for (const name of ['bost', 'fast'])
      expect(() => createPolicy(name as PolicyName)).toThrow(`policy is '${name}', which is none of vanilla, positive`);
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

describe('the policy of a request that names none', () => {
  it('is the wanted one, or positive where its rules do not fit', () => {
    const fitting = (wanted: PolicyName, program: RuledProgram, aggregation: 'product' | 'mean') =>
      fittingRules({ wanted, isAsked: false, settings: {}, program, aggregation }).policy;
    expect(fitting('boost', createMcts(), 'product')).toBe('boost');
    expect(fitting('boost', createBestOfN(), 'product')).toBe('positive');
    expect(fitting('boost', createMcts(), 'mean')).toBe('positive');
    expect(fitting('vanilla', createBestOfN(), 'mean')).toBe('vanilla');
  });
});
