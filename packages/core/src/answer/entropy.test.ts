import { expect, test } from 'vitest';
import { AnswerTally } from './entropy.ts';

function agreementOf(...answers: string[]): number {
  const tally = new AnswerTally();
  for (const answer of answers) tally.add({ answer });
  return tally.agreement;
}

test('certainty is one minus the entropy of the groups over that of answers which all differ', () => {
  // Groups of 3 and 1: H = 0.5623, log 4 = 1.3863.
  expect(agreementOf('5', '5.0', '7', ' 5')).toBeCloseTo(1 - 0.562335 / 1.386294, 5);
  expect(agreementOf('5', '7')).toBe(0);
  expect(agreementOf('5', '5')).toBe(1);
});

test('it is zero until there are two answers, and never leaves 0 to 1', () => {
  expect(agreementOf()).toBe(0);
  expect(agreementOf('5')).toBe(0);
  for (let count = 2; count < 200; count += 1) {
    const same = new AnswerTally();
    same.add({ answer: '5' }, count);
    expect(same.agreement).toBe(1);
    const different = agreementOf(...Array.from({ length: count }, (_, at) => `${at}`));
    expect(different).toBeGreaterThanOrEqual(0);
    expect(different).toBeLessThan(1e-9);
  }
});
