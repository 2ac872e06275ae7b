import { expect, it } from 'vitest';
import { timedRounds } from './timed-rounds.ts';

/** A virtual clock that each question moves on. */
async function run(count: number, limitMs: number, most: number, tookMs: (size: number) => number) {
  let now = 1000;
  const rounds: number[] = [];
  const begun = await timedRounds(
    Array.from({ length: count }, (_, at) => at),
    { limitMs, most, nowMs: () => now },
    async (round, leftMs) => {
      expect(leftMs).toBeGreaterThan(0);
      rounds.push(round.length);
      now += tookMs(round.length);
      return true;
    },
  );
  return { begun, rounds, elapsedMs: now - 1000 };
}

it('asks in rounds that double while half of the rest holds them, and ends in time', async () => {
  const { rounds, begun, elapsedMs } = await run(10_000, 300_000, 64, (size) => size * 1000);
  expect(rounds.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 64, 64]);
  expect(elapsedMs).toBeLessThanOrEqual(300_000);
  expect(elapsedMs).toBeGreaterThan(298_000);
  expect(begun).toBe(rounds.reduce((sum, size) => sum + size, 0));
});

it('ends early if one more question would not fit, and when no question is left', async () => {
  expect(await run(100, 300_000, 64, (size) => size * 120_000)).toEqual({
    begun: 2,
    rounds: [1, 1],
    elapsedMs: 240_000,
  });
  expect(await run(1, 300_000, 64, () => 900_000)).toMatchObject({ begun: 1 });
  expect(await run(5, 300_000, 64, (size) => size * 10)).toMatchObject({ begun: 5, rounds: [1, 2, 2] });
});

it('ends when a round says so', async () => {
  const rounds: number[] = [];
  const limits = { limitMs: 1000, most: 8, nowMs: () => 0 };
  await timedRounds([1, 2, 3, 4], limits, async (round) => rounds.push(...round) < 3);
  expect(rounds).toEqual([1, 2, 3]);
});
