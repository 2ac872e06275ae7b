// Storms of the journal: many seeds, each reproducible by its number.

import { describe, expect, test } from 'vitest';
import { runStorm } from './journal/journal-storm.ts';

/** Each found a fault, or finds it again when it is put back. */
const named: Readonly<Record<number, string>> = {
  4: 'entries that an earlier try stored count as lost: answers are destroyed, searches that run well are taken for lost',
  17: 'a poller is told an end from the memory of a node that has lost the search',
  37: 'an acceptance whose answer was lost stays queued for ever, and its client is told that it failed',
  39: "a node takes another node's entries for its own, and tells its client an end that never happened",
  473: 'a search that a client found again by its idempotency key is retracted by the node that first accepted it',
};

const seeds = 1000;
const parts = 10;

describe('storms of the journal', () => {
  for (const [seed, fault] of Object.entries(named)) {
    test(`seed ${seed}: ${fault}`, async () => {
      expect((await runStorm({ seed: Number(seed), isGentle: Number(seed) % 4 === 0 })).problems).toEqual([]);
    });
  }

  for (let part = 0; part < parts; part += 1) {
    const first = (part * seeds) / parts;
    test(`seeds ${first} to ${first + seeds / parts - 1}: nothing is lost, doubled, or told otherwise than it is`, async () => {
      const found: string[] = [];
      for (let seed = first; seed < first + seeds / parts; seed += 1) {
        const { problems } = await runStorm({ seed, isGentle: seed % 4 === 0 });
        for (const problem of problems) found.push(`seed ${seed}: ${problem}`);
      }
      expect(found).toEqual([]);
    });
  }
});
