// Speculation changes no answer: tree, answer and evidence are bit-equal to those of the same search without it. The same over
// many more searches is in speculation.slow.test.ts.

import { expect, it } from 'vitest';
import { createRest } from '../../packages/papers/src/programs/rest.ts';
import { compareWithout } from '../support/lossless.ts';
import { run } from '../support/toy-run.ts';

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

it('plays the steps of rollouts ahead as well, and counts each of their tokens once', () => {
  let [played, adopted] = [0, 0];
  for (let seed = 0; seed < 24; seed += 1) {
    const misfortune = seed % 2 === 0 ? {} : { fail: 0.1, double: 0.2, untilMs: 1e9 };
    const width = { primary: 1, speculative: 'random' } as const;
    const create = () => createRest({ rollouts: 8 });
    const { engine, tree, result } = run({ create, seed, width, weather: seed, misfortune });
    const { committedTokens, adoptedTokens = 0 } = result.cost;
    expect(committedTokens).toBe(tree.tokens);
    played += engine.requests.filter(
      ({ lane, sampling }) => lane === 'speculative' && sampling.temperature === 0,
    ).length;
    adopted += adoptedTokens;
  }
  expect(played).toBeGreaterThan(100);
  expect(adopted).toBeGreaterThan(1000);
});
