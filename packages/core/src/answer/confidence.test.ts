// By labels of one's own: a line over the log odds that ship.

import { expect, it } from 'vitest';
import { confidenceOf, fitConfidence, type LabelledStop, leastLabelled } from './confidence.ts';

/** Votes of four samples; right in one of so many. */
function questions(count: number, oneIn: number): LabelledStop[][] {
  return Array.from({ length: count }, (_, at) => [
    { standing: { share: 1, samples: 4 }, right: at % oneIn === 0 },
    { standing: { share: 1, samples: 4, score: 0.9 }, right: at % oneIn === 0 },
  ]);
}

const clear = { share: 1, samples: 4 };

it('says nothing of few labels', () => {
  expect(fitConfidence(questions(leastLabelled - 1, 2))).toBeUndefined();
});

it('says how often such answers are right here, with many labels', () => {
  expect(confidenceOf(clear)).toBeGreaterThan(0.8);
  const rare = fitConfidence(questions(2000, 4))!;
  const said = [confidenceOf(clear, rare), confidenceOf({ ...clear, score: 0.9 }, rare)];
  expect(said[0]! / 2 + said[1]! / 2).toBeCloseTo(0.25, 1);
  // What is held near the shipped form moves less with few.
  expect(confidenceOf(clear, fitConfidence(questions(leastLabelled, 4)))).toBeGreaterThan(said[0]! + 0.02);
});

it('may be sure of few samples without a judge, where labels say so', () => {
  expect(confidenceOf({ share: 1, samples: 7 })).toBeLessThan(0.9);
  expect(confidenceOf({ share: 1, samples: 7 }, fitConfidence(questions(500, 1)))).toBeGreaterThan(0.95);
});
