// Orders by attained service: requests of the search that has generated least go first. `las` compares tokens (llm-d-router#1534); `plas` puts
// searches into queues that double in size, first come first served within each (arXiv 2502.13965, PLAS; it promotes requests that
// starve, which is left out). Both order the requests that wait for the engine and know no admission: every search is let in at once.

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

/** Stands in the place of what is left: what was generated. */
export const attainedWork: WorkEstimates = { ended() {}, estimate: () => undefined, left: (_, done) => done.tokens };
