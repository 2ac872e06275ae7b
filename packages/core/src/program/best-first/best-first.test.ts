// The trees of 40 seeded searches, as one hash: at any width, with failures, twins and speculation. It changes when a decision of the
// program changes, and only then.

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { run } from '../../../../../tests/support/toy-run.ts';
import type { SearchEvent } from '../../log/events.ts';
import { createBestFirst } from './best-first.ts';

/** Who asked where for what, and what became of it: what the model said follows from its place. */
function placeOf(event: SearchEvent): unknown {
  const { type, strand, node, parent, index, indices, into, closing } = event as unknown as Record<string, unknown>;
  return { type, strand, node, parent, index, indices, into, closing };
}

it('grows the trees that it grew', () => {
  const hash = createHash('sha256');
  for (let seed = 0; seed < 40; seed += 1) {
    const size = { rollouts: 4 + (seed % 23), branching: 1 + (seed % 5), maxDepth: 3 + (seed % 7) };
    const prior = (['logprob', 'draws'] as const)[seed % 2]!;
    const width = { primary: 1 + (seed % 8), speculative: seed % 3 };
    const misfortune = seed % 2 === 0 ? { fail: 0.15, double: 0.2, untilMs: 1e9 } : {};
    const create = () => createBestFirst({ ...size, prior });
    const { events } = run({ create, seed, width, weather: seed, misfortune, threshold: 0.95, ties: seed % 3 === 0 });
    hash.update(JSON.stringify(events.map(placeOf)));
  }
  expect(hash.digest('hex').slice(0, 16)).toBe('6062a45ee188b512');
});
