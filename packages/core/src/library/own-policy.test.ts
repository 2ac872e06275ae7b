// Policies with parts of their own in the library: what they decide, what is refused, and what becomes of parts that misbehave.

import { expect, test } from 'vitest';
import { ScriptedEngine, ScriptedVerifier } from '../../../../tests/support/scripted-engine.ts';
import { defineExit, definePrune } from '../exit/exit.ts';
import { definePolicy } from '../policy/define-policy.ts';
import type { PolicyInput } from '../policy/definition.ts';
import { bestOfN } from '../program/best-of-n.ts';
import { defineProgram } from '../program/definition.ts';
import { defineOrder } from '../scheduler/turns/order.ts';
import { defineWidths, naturalWidths } from '../scheduler/widths.ts';
import { defineVerifier } from '../verifier/definition.ts';
import { type ModelPolicy, makeModel, namedConfig } from './open-search-model.ts';
import { search } from './search.ts';

const early = defineExit({
  name: 'early',
  summary: 'after so many paths',
  options: { paths: { default: 1, low: 1, high: 9, whole: true, unit: 'paths', why: 'of a test' } },
  make: ({ paths }) => ({
    name: 'early',
    check: ({ tree }) =>
      tree.closed.completed < paths ? undefined : { kind: 'settled', rule: 'early', evidence: { paths } },
  }),
});

function model(policy?: ModelPolicy['policy'], policyOptions?: ModelPolicy['policyOptions']) {
  const parts = { engine: new ScriptedEngine(), verifier: new ScriptedVerifier(), budget: 8, threshold: 1 };
  return makeModel({ ...parts, ...(policy && { policy }), ...(policyOptions && { policyOptions }) });
}

const own = (input: Omit<PolicyInput<string>, 'name' | 'summary'>) =>
  definePolicy({ name: 'mine', summary: 'of a test', ...input });

test('a policy of the model holds for searches that name none, and options of its parts are the search’s before the model’s', async () => {
  const mine = model(own({ exits: [early] }), { paths: 3 });
  const asked = { model: mine, rollouts: 6 };
  const found = await search('a', asked);
  expect([found.policy, found.exit.rule, found.exit.evidence.paths]).toEqual(['mine', 'early', 3]);
  expect((await search('a', { ...asked, policyOptions: { paths: 2 } })).exit.evidence.paths).toBe(2);
  expect((await search('a', { ...asked, policy: 'vanilla' })).exit.rule).not.toBe('early');
  await mine.close();
});

test('a search takes its own exits with a program by name or of its own', async () => {
  const plain = model();
  const policy = own({ exits: [early], settings: { boundPrune: 'best' } });
  for (const program of ['mcts', bestOfN] as const) {
    const { exit, policy: name } = await search('a', { model: plain, program, rollouts: 6, policy });
    expect([exit.rule, name]).toEqual(['early', 'mine']);
  }
  await plain.close();
});

test('options that no part has, or that are out of bounds, are refused, and so are two of one name', async () => {
  const plain = model();
  const policy = own({ exits: [early] });
  const refused = (policyOptions: Record<string, number>) => search('a', { model: plain, policy, policyOptions });
  await expect(refused({ path: 1 })).rejects.toThrow("policyOptions.path is no option of policy 'mine'");
  await expect(refused({ paths: 0 })).rejects.toThrow(
    'policyOptions.paths is 0; it must be a whole number from 1 to 9',
  );
  await expect(search('a', { model: plain, policy: 'safe', policyOptions: { paths: 1 } })).rejects.toThrow(
    /no option of policy 'safe', which has no parts of its own/,
  );
  expect(() => own({ exits: [early, early] })).toThrow("two parts with an option 'paths'");
  await plain.close();
});

test('a rule that needs what a search cannot give is refused before it runs', async () => {
  const bound = definePrune({
    name: 'bound',
    summary: 'needs a bound',
    make: () => ({ name: 'bound', needsBound: true, judge: () => undefined }),
  });
  const plain = model();
  const asked = { model: plain, policy: own({ prunes: [bound] }), aggregation: 'mean' } as const;
  await expect(search('a', asked)).rejects.toThrow("rule 'bound' needs aggregation 'product' or 'minimum'");
  await plain.close();
});

const widths = defineWidths({ name: 'w', summary: 'natural', make: () => naturalWidths });
const hostile = {
  'widths that throw': {
    widths: defineWidths({
      name: 'w',
      summary: 'throws',
      make: () => () => {
        throw new Error('sabotage');
      },
    }),
  },
  'widths beyond the budget': {
    widths: defineWidths({
      name: 'w',
      summary: 'too many',
      make: () => (seats) => ({ widths: seats.map(() => 99), rank: seats.map(() => 0) }),
    }),
  },
  'an order without a number': {
    widths,
    order: defineOrder({ name: 'o', summary: 'NaN', make: () => ({ name: 'o', urgency: () => Number.NaN }) }),
  },
  'an order that throws for a request': {
    order: defineOrder({
      name: 'o',
      summary: 'throws',
      make: () => ({
        name: 'o',
        priority: () => {
          throw new Error('sabotage');
        },
      }),
    }),
  },
} as const;

test.each(Object.keys(hostile) as (keyof typeof hostile)[])(
  '%s: searches go on and end, and all say what was replaced',
  async (name) => {
    const mine = model(own({ settings: { positiveExit: 'on' }, ...hostile[name] }));
    const asked = (question: string) => search(question, { model: mine, rollouts: 4 });
    const ended = await Promise.all(['a', 'b', 'c'].map(asked));
    for (const { exit, fault } of [...ended, await asked('later')])
      expect([exit.kind, fault?.message]).toEqual([
        expect.not.stringMatching('failed'),
        expect.stringMatching(/threw in/),
      ]);
    await mine.close();
  },
);

test.each([
  ['none', () => [], "its widths give 'search-1' undefined strands; each seat has 1 or more"],
  ['nothing', () => [0], "its widths give 'search-1' 0 strands"],
  ['half a strand', () => [1.5], "its widths give 'search-1' 1.5 strands"],
  ['one more than there are', (budget: number) => [budget + 1], 'its widths give 9 strands of 8 (budget)'],
] as const)('a width rule that gives %s is told', async (_, given, told) => {
  const rule = defineWidths({
    name: 'w',
    summary: 'gives what cannot be',
    make: () => (seats, budget) => ({ widths: given(budget), rank: seats.map(() => 0) }),
  });
  const mine = model(own({ widths: rule }));
  const { exit, fault } = await search('a', { model: mine, rollouts: 4 });
  expect([exit.kind, fault?.message]).toEqual([
    'exhausted',
    expect.stringContaining(`'w' threw in decide: bad-setting: ${told}`),
  ]);
  await mine.close();
});

test('what no compiler has read is refused: unknown settings and keys, values out of bounds, names that are taken', async () => {
  const plain = model();
  const mine = { name: 'mine', summary: 'of a test' };
  const define = (input: object) => () => definePolicy({ ...mine, ...input });
  expect(define({ settings: { positiveExitt: 'on' } })).toThrow("policies have no option 'positiveExitt'");
  expect(define({ settings: { firstDepthCut: 7 } })).toThrow('firstDepthCut is 7; it must be a number from 0 to');
  expect(define({ exit: [early] })).toThrow("policy 'mine' has no 'exit'; there are name,");
  expect(define({ name: 'safe' })).toThrow("coppice has a policy 'safe': give yours another name");
  expect(define({ exits: [{ ...early, name: 'positive' }] })).toThrow("coppice has an exit rule 'positive'");
  expect(define({ widths: { ...widths, name: 'gain' } })).toThrow("coppice has a width rule 'gain'");
  expect(() => defineExit({ ...early, maker: early.make } as typeof early)).toThrow("part 'early' has no 'maker'");
  expect(() => defineProgram({ ...bestOfN, answers: 1 } as typeof bestOfN)).toThrow(
    "program 'best-of-n' has no 'answers'",
  );
  const program = defineProgram({ ...bestOfN, name: 'beam' });
  await expect(search('a', { model: plain, program })).rejects.toThrow("coppice has a program 'beam'");
  await plain.close();
});

test('a model that is opened by its name keeps what goes with it under a policy of one’s own', () => {
  const [plain, mine] = [namedConfig('sapling', {}), namedConfig('sapling', { policy: own({}), budget: 5 })];
  expect(plain.verifier.kind).toBe('prm');
  expect(mine).toEqual({ ...plain, policy: 'vanilla', budget: 5 });
});

test('a verifier of one function scores; what it throws, or gives beyond 0 to 1, fails its search with the reason', async () => {
  const scored = async (score: () => number) => {
    const verifier = defineVerifier({ name: 'mine', summary: 'of a test', make: () => score });
    const mine = makeModel({ engine: new ScriptedEngine(), verifier, budget: 8, threshold: 0.5 });
    const found = await search('a', { model: mine, rollouts: 4 });
    await mine.close();
    return found;
  };
  expect((await scored(() => 1)).exit.kind).toBe('accepted');
  expect((await scored(() => 3)).fault?.message).toContain("verifier 'mine' gave 3; a reward is a number from 0 to 1");
  const thrown = await scored(() => {
    throw new Error('sabotage');
  });
  expect([thrown.exit.kind, thrown.fault?.message]).toEqual(['failed', expect.stringContaining('sabotage')]);
});

test('a default that its own bounds refuse is refused where it is defined, not where a user first names it', () => {
  const options = { paths: { default: 5, low: 6, high: 7, unit: 'paths', why: 'of a test' } };
  const make = () => ({ name: 'late', check: () => undefined });
  expect(() => defineExit({ name: 'late', summary: 'of a test', options, make })).toThrow(
    "part 'late': the default of option 'paths' is 5; it must be a number from 6 to 7 (paths)",
  );
  expect(() => defineProgram({ ...bestOfN, name: 'wide', options })).toThrow(
    "program 'wide': the default of option 'paths' is 5",
  );
});
