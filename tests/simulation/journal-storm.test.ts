// Storms of the journal: many seeds, each reproducible by its number.

import { describe, expect, test } from 'vitest';
import { runStorm } from './journal/journal-storm.ts';

const seeds = 1000;
const parts = 10;

describe('storms of the journal', () => {
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
