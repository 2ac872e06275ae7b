import { expect, it } from 'vitest';
import { against, bestRival, isChosenRight, ruleRow, type Sample, sampleOf, stoppedByLead } from './rivals.ts';

const sample = (group: string | undefined, right: boolean, score: number): Sample => ({
  tokens: 100,
  group,
  right,
  score,
});
/** Two wrong ones agree; the right ones score higher together. */
const split = [
  sample('7', false, 0.2),
  sample('7', false, 0.3),
  sample('8', true, 0.9),
  sample(undefined, false, 0.95),
];

it('takes the answer of most samples, of most weight, or of the best one', () => {
  expect(isChosenRight(split, 'majority')).toBe(false);
  expect(isChosenRight(split, 'weighted majority')).toBe(true);
  // The best one has no answer.
  expect(isChosenRight(split, 'best of n')).toBe(false);
  expect(isChosenRight(split.slice(0, 3), 'best of n')).toBe(true);
});

it('counts what the reward model reads, and takes the best rule that costs no more', () => {
  expect(ruleRow([split], 'majority', 4).tokens).toBe(400);
  expect(ruleRow([split], 'weighted majority', 4).tokens).toBe(800);
  expect(bestRival([split], 600)).toMatchObject({ rule: 'weighted majority', samples: 3, right: 1, tokens: 600 });
  expect(bestRival([split], 599)).toMatchObject({ right: 0 });
});

it('pairs a search with a rule by question', () => {
  const row = ruleRow([split, split], 'majority', 2);
  const searched = [
    { right: 1, tokens: 1 },
    { right: 0, tokens: 1 },
  ];
  expect(against(searched, [split, split], row).value).toBe(0.5);
});

it('reads and grades a drawn text as coppice does', () => {
  const question = { id: '0', question: 'How many eggs?', answer: '1,018', solvable: true, difficulty: undefined };
  const drawn = { set: 'gsm8k', index: 0, sample: 0, tokens: 9 };
  const found = sampleOf(question, { ...drawn, text: 'She has 1018 eggs.' }, [-3, 0]);
  expect(found).toMatchObject({ tokens: 9, right: true, score: 0.5 });
  expect(found.group).toBe(sampleOf(question, { ...drawn, text: 'So \\boxed{1{,}018}.' }, []).group);
});

it('samples end when the leading answer is far enough ahead in scores, and not before', () => {
  const of = (group: string, score: number) => ({ group, score, tokens: 10, right: group === 'a' });
  const agreeing = [0.7, 0.7, 0.7, 0.7].map((score) => of('a', score));
  // ln 10 / 1.4 = 1.64: three of 0.7 are enough and two are not; tokens are read twice.
  expect(stoppedByLead(agreeing, 0.1)).toEqual({ right: 1, tokens: 60 });
  expect(stoppedByLead([of('b', 0.9), ...agreeing], 0.1)).toEqual({ right: 1, tokens: 100 });
  expect(stoppedByLead([of('a', 0.2), of('b', 0.3)], 0.1)).toEqual({ right: 0, tokens: 40 });
});
