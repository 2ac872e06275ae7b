// Hand-worked widths by slack.

import { expect, it } from 'vitest';
import type { Servers } from '../../../core/src/cost/closed-loop.ts';
import type { Seat } from '../../../core/src/scheduler/seat.ts';
import { slackWidths } from './policies.ts';

function seat(id: string, observations = 1): Seat {
  const width = { primary: 1, speculative: 0 };
  const still = { naturalWidth: 1, demand: 16, rolloutsLeft: 16, progress: 0, openStrands: 1, width };
  return { id, base: 1, cap: 16, open: 1, running: { id, arrivalMs: 0, observations, ...still } };
}

it('keep the step within the slack, whatever the verifier does, and deal out evenly', () => {
  const line = { baseMs: 10, slopeMs: 1 };
  const slow = { baseMs: 0, slopeMs: 100 };
  const costly: Servers = {
    engine: { line, steady: line },
    verifier: { line: slow, steady: slow },
    perStrand: 1,
    overTime: 1,
  };
  expect(slackWidths([seat('a'), seat('b'), seat('c', 0)], 100, 0, costly).widths).toEqual([5, 4, 1]);
  expect(slackWidths([seat('a')], 100, 0, costly).facts).toEqual({ worth: 10, stepMs: 20, limitMs: 20 });
  expect(slackWidths([seat('a')], 8, 0, undefined).widths).toEqual([8]);
});
