// As speculation.test.ts, over many searches, each with speculation and without: `SEARCHES=10000` for as many as are published.

import { env } from 'node:process';
import { expect, it } from 'vitest';
import { compareWithout } from '../support/lossless.ts';

const searches = Number(env.SEARCHES ?? 400);

it(`gives the same tree, answer and evidence in ${searches} searches`, () => {
  const { different, adopted, deep } = compareWithout(Array.from({ length: searches }, (_, at) => 1000 + at));
  expect(different).toEqual([]);
  expect(adopted).toBeGreaterThan(3 * searches);
  expect(deep).toBeGreaterThan(0.6 * searches);
});
