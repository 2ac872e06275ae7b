import { expect, it } from 'vitest';
import { wholeRate } from './capacity.ts';

it('reads a rate off requests that came at once by the last of them', () => {
  expect(wholeRate({ served: [{ endedMs: 500 }, { endedMs: 2000 }, { endedMs: 1000 }] })).toBe(1.5);
});
