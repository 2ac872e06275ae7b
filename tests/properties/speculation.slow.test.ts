// As speculation.test.ts, over 10,000 searches, each with speculation and without.

import { expect, it } from 'vitest';
import { compareWithout } from '../support/lossless.ts';

it('gives the same tree, answer and evidence in 10,000 searches', () => {
  const { different, adopted, deep } = compareWithout(Array.from({ length: 10_000 }, (_, at) => 1000 + at));
  expect(different).toEqual([]);
  expect(adopted).toBeGreaterThan(30_000);
  expect(deep).toBeGreaterThan(6_000);
}, 600_000);
