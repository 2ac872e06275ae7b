// Speculation changes no answer: tree, answer and evidence are bit-equal to those of the same search without it. The same over
// many more searches is in speculation.slow.test.ts.

import { expect, it } from 'vitest';
import { compareWithout } from '../support/lossless.ts';

it('gives the same tree, answer and evidence as the search without, whatever comes first', () => {
  const compared = compareWithout(Array.from({ length: 182 }, (_, seed) => seed));
  expect(compared.different).toEqual([]);
  expect(compared.adopted).toBeGreaterThan(400);
  expect(compared.deep).toBeGreaterThan(100);
  expect(compared.twins).toBeGreaterThan(100);
});

it('gives the same where a twin comes after ETS has looked ahead: leaves that are drawn twice weigh twice', () => {
  expect(compareWithout([3354, 5469, 7689]).different).toEqual([]);
});
