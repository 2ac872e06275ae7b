// As speculation.test.ts, over 5,000 searches.

import { expect, it } from 'vitest';
import { compareWithout } from '../support/lossless.ts';

it('gives the same tree, answer and evidence in 5,000 searches', () => {
  const { different } = compareWithout(Array.from({ length: 2500 }, (_, at) => 1000 + at));
  expect(different).toEqual([]);
}, 600_000);
