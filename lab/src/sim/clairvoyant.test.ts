import { describe, expect, it } from 'vitest';
import { clairvoyantCapacity, clairvoyantTokens, type RolloutStanding } from '../clairvoyant.ts';
import { contenderOf } from './contenders.ts';
import { runTrial, trialDefaults } from './trial.ts';

function seen(...rights: readonly boolean[]): RolloutStanding[] {
  return rights.map((right, at) => ({ rollouts: at + 1, right, tokens: 100 * (at + 1) }));
}

describe('one who knows the end', () => {
  it('stops after the rollout from which on the right answer leads, and at once where it never will', () => {
    expect(clairvoyantTokens(seen(true, true, true))).toBe(100);
    expect(clairvoyantTokens(seen(false, true, false, true, true))).toBe(400);
    expect(clairvoyantTokens(seen(true, false, false))).toBe(100);
    expect(clairvoyantTokens([])).toBeUndefined();
  });

  it('serves as many questions as the rate of both models allows', () => {
    const rates = { saturatedTokensPerSecond: 600, saturatedVerifierTokensPerSecond: 900 };
    expect(clairvoyantCapacity({ ...rates, standings: [seen(true), seen(false, true)] })).toBe(10);
    expect(clairvoyantCapacity(rates)).toBeUndefined();
  });
});

describe('a watched trial', () => {
  const small = { ...trialDefaults, setting: 'math500/8b', requests: 24, budget: 8 } as const;
  const positive = { ...small, contender: contenderOf('positive'), arrivals: { kind: 'backlog' } } as const;

  it('does what it does unwatched, and sees the end as it was', () => {
    const { standings, ...watched } = runTrial({ ...positive, watched: true });
    expect(watched).toEqual(runTrial(positive));
    watched.served.forEach(({ correct, rollouts, tokens }, at) => {
      const last = standings![at]!.at(-1)!;
      expect(last.right).toBe(correct);
      expect([rollouts, rollouts - 1]).toContain(last.rollouts);
      // Both models have computed every step, the reward model the prompt besides; what was cut at the exit is not in it.
      expect(last.tokens).toBeGreaterThan(tokens);
      expect(clairvoyantTokens(standings![at]!)!).toBeLessThanOrEqual(last.tokens);
    });
  });

  it.each([
    [true, 1],
    [false, 2],
  ])('counts what the reward model computes, prefix reuse %s', (verifierReuses, factor) => {
    const { standings } = runTrial({ ...positive, verifierReuses, watched: true, requests: 10 });
    const reusing = runTrial({ ...positive, watched: true, requests: 10 }).standings!;
    const sum = (all: typeof reusing) => all.reduce((total, each) => total + each.at(-1)!.tokens, 0);
    expect(sum(standings!) / sum(reusing)).toBeGreaterThanOrEqual(factor);
  });
});
