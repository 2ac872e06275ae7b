import { expect, it } from 'vitest';
import type { Sample } from './rivals.ts';
import { courseOf, DrawnWaves, oneByOne, questionOf } from './worth-course.ts';

const sample = (group: string | undefined, tokens: number, score: number): Sample => {
  return { group, tokens, score, right: group === 'a' };
};
const question = questionOf([
  sample('b', 30, 0.4),
  sample('a', 10, 0.9),
  sample('a', 20, 0.5),
  sample(undefined, 40, 0.1),
]);
const order = [0, 1, 2, 3];

it('tells leads and right answers after each sample, a tie by the share of right ones in it', () => {
  const { generated, read, votes, scores, best } = courseOf(question, order, oneByOne);
  expect(generated).toEqual([30, 40, 60, 100]);
  expect(read).toEqual(generated);
  expect(votes).toEqual({ first: [1, 1, 2, 2], second: [0, 1, 1, 1], right: [0, 0.5, 1, 1] });
  expect(scores.first.map((each) => each.toFixed(1))).toEqual(['0.4', '0.9', '1.4', '1.4']);
  expect(best.right).toEqual([0, 1, 1, 1]);
});

it('counts short samples first where several are open, or all in their order, and what the open ones have written', () => {
  // At 10 the second ends and the third begins; at 30 the first and the third end, the first begun first.
  const short = courseOf(question, order, { open: 2, counts: 'by end' });
  expect(short.order).toEqual([1, 0, 2, 3]);
  expect(short.generated).toEqual([20, 60, 60, 100]);
  expect(short.read).toEqual([10, 40, 60, 100]);
  const kept = courseOf(question, order, { open: 2, counts: 'in order' });
  expect(kept.order).toEqual(order);
  expect(kept.generated).toEqual([60, 60, 60, 100]);
  expect(courseOf(question, order, { open: 4, counts: 'by end' }).generated).toEqual([40, 70, 90, 100]);
});

it('draws waves, and counts what the open samples of one have written', () => {
  const waves = new DrawnWaves(courseOf(question, [1, 0, 2, 3], oneByOne));
  waves.begin(2);
  // Ten tokens each when the first has ended.
  expect([waves.begun, waves.generated(1), waves.generated(2)]).toEqual([2, 20, 40]);
  waves.begin(3);
  expect([waves.begun, waves.generated(3)]).toEqual([3, 60]);
  waves.begin(4);
  expect([waves.begun, waves.generated(4), waves.count]).toEqual([4, 100, 3]);
  // 30 of the first two, 20 and 40.
  expect(waves.time).toBe(90);
});
