// Storms of the journal: seeds 100 to 999, each reproducible by its number.

import { expect, test } from 'vitest';
import { faultsOf } from './journal/journal-storm.ts';

test.each(Array.from({ length: 9 }, (_, at) => 100 + 100 * at))(
  'the hundred seeds from %d: nothing is lost, doubled, or told otherwise than it is',
  async (first) => {
    expect(await faultsOf(first, first + 100)).toEqual([]);
  },
);
