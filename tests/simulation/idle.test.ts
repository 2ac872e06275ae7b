// Work that nobody waits for, beside searches that somebody waits for, on simulated GPUs in virtual time: it must all be done
// in the end, and be felt by nobody.

import { describe, expect, it } from 'vitest';
import { runVirtually } from '../support/virtual-gateway.ts';

const run = { setting: 'math500/8b', budget: 16, rollouts: 4, deadlineMs: 1e12, seed: 11, requests: 30 } as const;

function medianMs(answers: readonly { readonly arrivalMs: number; readonly endedMs: number }[]): number {
  const times = answers.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)]!;
}

describe('the idle class', () => {
  it.each([
    ['positive', 2],
    ['boost', 0.5],
  ] as const)(
    'delays the others by at most 5 percent at the median, and ends: %s at %f a second',
    async (policy, perSecond) => {
      const alone = await runVirtually({ ...run, policy, perSecond });
      const ends: number[] = [];
      const idle = { idle: 50, onIdleEnd: (endedMs: number) => ends.push(endedMs) };
      const beside = await runVirtually({ ...run, policy, perSecond, ...idle });
      expect(beside.every(({ told }) => told === 'complete')).toBe(true);
      const ratio = medianMs(beside) / medianMs(alone);
      console.log(`${policy} at ${perSecond} a second: median ${ratio.toFixed(3)} of what it is alone`);
      expect(ratio).toBeLessThanOrEqual(1.05);
      expect(ends).toHaveLength(50);
      const lastMs = Math.max(...beside.map(({ endedMs }) => endedMs));
      expect(ends.filter((endedMs) => endedMs < lastMs).length).toBeGreaterThan(0);
    },
  );
});
