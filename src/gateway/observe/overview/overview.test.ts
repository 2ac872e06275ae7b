import { describe, expect, it } from 'vitest';
import type { ObservedModel, ObservedSearches } from '../observed.ts';
import { Overview, sampleMs } from './overview.ts';

describe('the history that the server keeps', () => {
  it('holds how the last 15 minutes went, and no more', () => {
    let nowMs = 0;
    let leasesTaken = 0;
    const model = {
      runtime: {
        queue: { budget: 8 },
        get leasesTaken() {
          return leasesTaken;
        },
      },
    } as unknown as ObservedModel;
    const searches: ObservedSearches = {
      live: [],
      models: new Map([['m', model]]),
      admission: { waiting: 3, running: 2 },
    };
    const overview = new Overview({ nowMs: () => nowMs });
    for (let at = 0; at < 500; at += 1) {
      nowMs = at * sampleMs;
      leasesTaken = at % 9;
      overview.sample(searches);
    }
    const { history } = overview;
    expect(history).toHaveLength(180);
    expect(history[0]).toEqual({ at_ms: 320 * sampleMs, used: 320 % 9, total: 8, running: 2, waiting: 3 });
    expect(history.at(-1)?.at_ms).toBe(499 * sampleMs);
    overview.close();
  });
});
