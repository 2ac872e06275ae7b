// Choices worked by hand, and a repair as seen by engine, verifier and log.

import { expect, test } from 'vitest';
import { ScriptedEngine } from '../../../../tests/support/scripted-engine.ts';
import { Random } from '../../../core/src/base/random.ts';
import { makeModel } from '../../../core/src/library/open-search-model.ts';
import { search } from '../../../core/src/library/search.ts';
import type { LoggedEvent } from '../../../core/src/log/events.ts';
import { SearchFold } from '../../../core/src/log/fold.ts';
import { defineVerifier } from '../../../core/src/verifier/definition.ts';
import { drawMean, gaussianPosterior } from './posterior.ts';

const sums = (...scores: readonly number[]) => ({
  count: scores.length,
  sum: scores.reduce((all, each) => all + each, 0),
  squares: scores.reduce((all, each) => all + each * each, 0),
});

test('the posterior of scores 0.2, 0.4 and 0.6 under the authors\u2019 priors', () => {
  // κ 1 + 3, ν 1 + 3; mean 1.2 / 4; scale (0.1 + 0.08 + 3 · 0.4² / 4) / 4.
  const { mean, weight, freedom, scale } = gaussianPosterior(sums(0.2, 0.4, 0.6));
  expect([mean, weight, freedom]).toEqual([expect.closeTo(0.3), 4, 4]);
  expect(scale).toBeCloseTo((0.1 + 0.08 + 0.12) / 4);
});

test.each([
  ['beta', 0.5 + 1.2, 0.5 + 1.8],
  ['gaussian', 0.3, 1],
] as const)('draws of %s have the mean of the posterior', (name, a, b) => {
  const random = new Random('draws', name);
  const draws = Array.from({ length: 20_000 }, () => drawMean(name, sums(0.2, 0.4, 0.6), random));
  const mean = draws.reduce((all, each) => all + each, 0) / draws.length;
  expect(mean).toBeCloseTo(name === 'beta' ? a / (a + b) : a, 1);
});

/** The first answers are wrong; a repair is right if the turn before it gives the verifier's feedback. */
const engine = () =>
  new ScriptedEngine({
    script: ({ path }) => {
      const turn = path.at(-1)?.step.turn ?? '';
      return { text: turn.includes('too small') ? 'The answer is 5.' : 'The answer is 4.', end: 'eos' };
    },
  });

const tooSmall = defineVerifier((_question, steps) =>
  steps.at(-1)?.includes('5') ? 1 : { reward: 0.2, feedback: '4 is too small' },
);

test('a repair is written after the feedback as a turn of the user, stands in the log and is the answer', async () => {
  const own = engine();
  const model = makeModel({ engine: own, verifier: tooSmall, budget: 4, threshold: 0.9 });
  const events: LoggedEvent[] = [];
  const onEvent = (event: LoggedEvent) => {
    events.push(event);
  };
  const found = await search('What is 2 + 3?', { model, program: 'refine', rollouts: 8, onEvent });
  await model.close();
  expect(found).toMatchObject({ answer: '5', steps: ['The answer is 5.'], score: 1, exit: { kind: 'accepted' } });
  const repaired = found.tree.nodes.find(({ answer }) => answer === '5')!;
  expect(repaired.parent).toMatchObject({ answer: '4', feedback: '4 is too small' });
  expect(repaired.step?.turn).toContain('4 is too small');
  const asked = own.asked.find(({ path }) => path.at(-1)?.step.turn !== undefined)!;
  expect(asked.path.map(({ step }) => step.text)).toEqual(['The answer is 4.', '']);
  const fold = new SearchFold();
  for (const event of JSON.parse(JSON.stringify(events))) fold.apply(event);
  expect(fold.fault).toBeUndefined();
  expect(fold.tree!.nodes.map(({ key, step }) => [key, step?.turn])).toEqual(
    found.tree.nodes.map(({ key, step }) => [key, step?.turn]),
  );
});

test('an answer is judged by itself, whatever the aggregation of its verifier', async () => {
  const model = makeModel({ engine: engine(), verifier: tooSmall, budget: 4, threshold: 0.9 });
  const { tree } = await search('q', { model, program: 'refine', rollouts: 8 });
  await model.close();
  expect(tree.aggregation).toBe('last');
});

test('searches do not all choose alike between a new answer and a repair', async () => {
  const repairs = new Set<boolean>();
  for (let at = 0; at < 12; at++) {
    const own = new ScriptedEngine({
      script: ({ index }) => ({ text: `The answer is ${100 * at + index}.`, end: 'eos' }),
    });
    const model = makeModel({ engine: own, verifier: defineVerifier(() => 0.2), budget: 1, threshold: 0.9 });
    const { tree } = await search('What is 2 + 3?', { model, program: 'refine', rollouts: 3 });
    await model.close();
    repairs.add(tree.nodes.some(({ parent }) => (parent?.id ?? 0) > 0));
  }
  expect(repairs).toEqual(new Set([true, false]));
});
