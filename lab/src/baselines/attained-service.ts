// Orders by attained service: requests of the search with the fewest generated tokens go first. `las` compares tokens (llm-d-router#1534); `plas`
// puts searches into queues that double in size, first come first served within each (arXiv 2502.13965, PLAS; without its promotion of
// starving requests). Both order only requests that wait for the engine: every search is admitted at once.

import type { WorkEstimates } from '@coppice/core/runtime';
import { defineOrder } from 'coppice';

export const attainedNames = ['las', 'plas'] as const;
export type AttainedName = (typeof attainedNames)[number];

/** Tokens of the first queue, the next ends at twice as many: about one rollout of the simulated questions. */
const firstQueueTokens = 1024;
/** Urgencies are told in hundredths of a doubling. */
const perDoubling = 100;

const urgencies: Readonly<Record<AttainedName, (tokens: number) => number>> = {
  las: (tokens) => -perDoubling * Math.log2(1 + tokens),
  plas: (tokens) => -perDoubling * Math.ceil(Math.log2(Math.max(1, (1 + tokens) / firstQueueTokens))),
};

export function attainedOrder(name: AttainedName) {
  return defineOrder({
    name: `attained-${name}`,
    summary: 'requests of the search that has generated least',
    make: () => ({
      name: `attained-${name}`,
      readsWork: true,
      urgency: ({ workLeft = 0 }) => urgencies[name](workLeft),
    }),
  });
}

/** Estimates work by the tokens generated so far, in place of those still to come. */
export const attainedWork: WorkEstimates = { ended() {}, estimate: () => undefined, left: (_, done) => done.tokens };
