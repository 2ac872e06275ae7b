// Storms of the journal: seeds that found a fault, and the first hundred; journal-storm.slow.test.ts has the others.

import { describe, expect, test } from 'vitest';
import { faultsOf, runStorm } from './journal/journal-storm.ts';

/** Each found a fault, or finds it again when it is put back. */
const named: Readonly<Record<number, string>> = {
  4: 'entries that an earlier try stored count as lost: answers are destroyed, searches that run well are taken for lost',
  17: 'a poller is told an end from the memory of a node that has lost the search',
  37: 'an acceptance whose answer was lost stays queued for ever, and its client is told that it failed',
  39: "a node takes another node's entries for its own, and tells its client an end that never happened",
  473: 'a search that a client found again by its idempotency key is retracted by the node that first accepted it',
};

describe('storms of the journal', () => {
  for (const [seed, fault] of Object.entries(named)) {
    test(`seed ${seed}: ${fault}`, async () => {
      expect((await runStorm({ seed: Number(seed), isGentle: Number(seed) % 4 === 0 })).problems).toEqual([]);
    });
  }

  test('seeds 0 to 99: nothing is lost, doubled, or told otherwise than it is', async () => {
    expect(await faultsOf(0, 100)).toEqual([]);
  });
});
