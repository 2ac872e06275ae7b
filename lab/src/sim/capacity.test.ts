import { expect, it } from 'vitest';
import { servedRate } from './capacity.ts';

const ends = [500, 1000, 2000].map((endedMs) => ({ endedMs, tokens: 50 }));

it('reads the rate of requests that came at once off the time in which others waited', () => {
  // 100 tokens a second while searches waited, 50 a search.
  expect(servedRate({ served: ends, saturatedTokensPerSecond: 100 }, 10)).toBe(2);
});

it('reads it by the last of them where fewer than ten ended while others waited', () => {
  expect(servedRate({ served: ends, saturatedTokensPerSecond: 100 }, 9)).toBe(1.5);
  expect(servedRate({ served: ends, saturatedTokensPerSecond: undefined }, 10)).toBe(1.5);
});
