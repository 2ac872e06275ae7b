import { expect, it } from 'vitest';
import { exact } from '../../../../llama/src/task/exact-verifier.ts';
import { createPolicy } from '../../policy/create.ts';
import { createSelfConsistency } from '../../program/best-of-n.ts';
import { createMcts } from '../../program/mcts/mcts.ts';
import type { Manner } from '../../tree/step.ts';
import { Tree } from '../../tree/tree.ts';
import { confidence } from '../../verifier/confidence/confidence-verifier.ts';
import { makeVerifier } from '../../verifier/definition.ts';
import type { SearchRequest } from '../search/request.ts';
import { pathFor, readsEachLogprob, scoredStep, stepNeeds, withoutLogprobs } from './step-needs.ts';

function request(changes: Partial<SearchRequest>): SearchRequest {
  return {
    id: 's',
    prompt: { kind: 'text', text: 'q' },
    program: createMcts({ prior: 'draws' }),
    rules: createPolicy('positive').rules,
    limits: { threshold: 1, rollouts: 1 },
    seed: 1,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 8,
    extract: () => undefined,
    ...changes,
  };
}

it('asks for log probabilities where program, verifier or rule reads them, and only there', () => {
  const logprobs = (changes: Partial<SearchRequest>, verifier = makeVerifier(exact)): boolean =>
    stepNeeds(request(changes), verifier, false).logprobs;
  expect(logprobs({})).toBe(false);
  expect(logprobs({ program: createMcts({ selection: 'uct' }) })).toBe(false);
  expect(logprobs({ program: createMcts({ prior: 'logprob' }) })).toBe(true);
  expect(logprobs({}, makeVerifier(confidence))).toBe(true);
  expect(logprobs({ program: createSelfConsistency() })).toBe(false);
  const { rules } = request({});
  const reader = { name: 'reader', readsLogprobs: true, check: () => undefined };
  expect(logprobs({ rules: { ...rules, exits: [...rules.exits, reader] } })).toBe(true);
});

it('keeps a log probability for each token where verifier, rule, client or record reads it: programs read the mean', () => {
  const keeps = (changes: Partial<SearchRequest>, verifier = makeVerifier(exact)) =>
    readsEachLogprob(request(changes), verifier);
  const { rules } = request({});
  const reader = { name: 'reader', readsLogprobs: true, check: () => undefined };
  expect(keeps({ program: createMcts({ prior: 'logprob' }) })).toBe(false);
  expect(keeps({}, makeVerifier(confidence))).toBe(true);
  expect(keeps({ rules: { ...rules, exits: [reader] } })).toBe(true);
  expect([keeps({ logprobs: true }), keeps({ recordTokens: true })]).toEqual([true, true]);
  const step = { text: 'a', tokens: 1, meanLogprob: -2, end: 'eos', logprobs: [-2] } as const;
  expect(withoutLogprobs(step)).toEqual({ text: 'a', tokens: 1, meanLogprob: -2, end: 'eos' });
});

it('asks for seeds where the search is to be repeatable, and for tokens where a client watches', () => {
  expect(stepNeeds(request({}), undefined, true)).toMatchObject({ seed: true, tokens: true });
  expect(stepNeeds(request({ repeatable: false }), undefined, false)).toMatchObject({ seed: false, tokens: false });
});

it('puts the words of a manner behind the path, of a shape instead of them, and nothing where there is none', () => {
  const tree = Tree.plant('mean');
  const search = { tree, request: request({}) };
  const texts = (manner?: Manner, shaped?: string) =>
    pathFor(search, tree.root, manner, shaped).map(({ step }) => step.text);
  expect(texts()).toEqual([]);
  expect(texts({ suffix: 'Answer: ' })).toEqual(['Answer: ']);
  expect(texts({ suffix: '' })).toEqual([]);
  expect(texts({ suffix: 'Answer: ' }, 'as JSON')).toEqual(['as JSON']);
});

it('gives a verifier no token ids that another model has made', () => {
  const step = { text: 'a', tokens: 1, meanLogprob: 0, end: 'eos', tokenIds: [7] } as const;
  const own = request({ model: 'small' });
  expect([scoredStep(own, step), scoredStep(own, { ...step, model: 'small' })]).toEqual([
    step,
    { ...step, model: 'small' },
  ]);
  expect(scoredStep(own, { ...step, model: 'big' })).not.toHaveProperty('tokenIds');
});
