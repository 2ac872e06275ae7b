import { describe, expect, it } from 'vitest';
import { ownModel } from '../../../../core/src/answering/models/model-by-name.ts';
import type { WaitingSearch } from '../../../../core/src/scheduler/scheduler.ts';
import { contendersOf } from './contenders.ts';
import { type Contest, schedulerOf, type Trial } from './contest.ts';
import { nearest, nextSamples } from './equal-tokens.ts';
import { pairing, pairingLine } from './pairs.ts';

describe('the rows of a contest', () => {
  it('give every program that scores its exit, and a policy if there is a choice', () => {
    const rows = contendersOf({
      entrants: ['greedy', 'best-of-n', 'best-first'],
      policies: ['positive'],
      rollouts: 8,
    });
    expect(rows.map(({ name, policy }) => [name, policy])).toEqual([
      ['greedy', 'vanilla'],
      ['best-of-8', 'positive'],
      ['best-first positive', 'positive'],
    ]);
  });

  it('name the model’s default, P0’s system, and a policy only if it is chosen', () => {
    const rows = contendersOf({
      entrants: ['default', 'boost', 'auto', 'mcts'],
      usual: { program: 'best-first', policy: 'safe' },
      policies: ['positive'],
      rollouts: 16,
      pathRollouts: 128,
    });
    expect(rows.map(({ name, policy, rollouts }) => [name, policy, rollouts])).toEqual([
      ['default: best-first', 'safe', 128],
      ['boost: mcts', 'boost', 16],
      ['auto', 'vanilla', 16],
      ['mcts positive', 'positive', 16],
    ]);
  });

  it('begin best-of-n with --samples if given', () => {
    const entry = { entrants: ['best-of-n', 'mcts'], policies: ['positive'] } as const;
    const rows = contendersOf({ ...entry, rollouts: 48, samples: 12 });
    expect(rows.map(({ name, rollouts }) => [name, rollouts])).toEqual([
      ['best-of-12', 12],
      ['mcts positive', 48],
    ]);
  });

  it('give best-first search, whose rollouts draw one path each, another number of rollouts', () => {
    const entry = { policies: ['safe'], rollouts: 16, pathRollouts: 128 } as const;
    const rows = contendersOf({ ...entry, entrants: ['best-of-n', 'mcts', 'best-first'] });
    expect(rows.map(({ rollouts }) => rollouts)).toEqual([16, 16, 128]);
  });
});

describe('samples for as many tokens', () => {
  /** With an exit tokens grow more slowly than samples. */
  const costOf = (samples: number) => ({ samples, tokens: 100 * Math.sqrt(samples) });

  it('are found by trial, within a twentieth', () => {
    const attempts = [costOf(4)];
    for (let next = nextSamples(700, attempts, 512); next !== undefined; next = nextSamples(700, attempts, 512)) {
      attempts.push(costOf(next));
    }
    expect(attempts.length).toBeLessThanOrEqual(5);
    expect(Math.abs(nearest(700, attempts)!.tokens - 700)).toBeLessThan(0.05 * 700);
  });

  it('are one more if the guess was tried already and was too cheap', () => {
    expect(nextSamples(263, [{ samples: 4, tokens: 245 }], 512)).toBe(5);
    expect(nextSamples(226, [{ samples: 4, tokens: 245 }], 512)).toBe(3);
    const both = [
      { samples: 4, tokens: 245 },
      { samples: 5, tokens: 280 },
    ];
    expect(nextSamples(263, both, 512)).toBeUndefined();
  });

  it('are no more than allowed, and not tried twice', () => {
    expect(nextSamples(1e6, [costOf(4)], 64)).toBe(64);
    expect(nextSamples(1e6, [costOf(4), costOf(64)], 64)).toBeUndefined();
    expect(nextSamples(200, [costOf(4)], 64)).toBeUndefined();
  });
});

it('pairs two contenders by question: 3 won, 1 lost, of 8', () => {
  const trials = (contender: string, right: string): Trial[] =>
    [...right].map((mark, at) => ({ contender, question: String(at), correct: mark === '1', solvable: true }) as Trial);
  const { difference, won, lost, questions } = pairing(trials('a', '11110000'), trials('b', '10000001'));
  expect([won, lost, questions, difference.value]).toEqual([3, 1, 8, 0.25]);
  // Differences 0, 1, 1, 1, 0, 0, 0, -1: variance (3 · 0.75² + 4 · 0.25² + 1.25²) / 7 = 0.5.
  expect(difference.high - difference.value).toBeCloseTo(1.96 * Math.sqrt(0.5 / 8), 12);
  expect(pairing(trials('a', '11'), trials('b', '11')).difference.high).toBeGreaterThan(0);
});

it('says that one question is too few to compare', () => {
  const one = { contender: 'a', question: '0', correct: true, solvable: true } as Trial;
  expect(pairingLine(pairing([one], [{ ...one, contender: 'b' }]))).toMatch(/^ {2}a +too few questions to compare$/);
});

it('gives samples one by one no more guesses than the budget has strands', () => {
  const contest = { model: { config: ownModel({}) }, settings: { wish: { speculate: 8 }, budget: 16 } } as Contest;
  const contender = { name: 'samples', program: 'best-of-n', policy: 'positive', rollouts: 16 } as const;
  const waiting = Array.from({ length: 4 }, (_, turn) => ({ id: `${turn}`, turn, naturalWidth: 16 }) as WaitingSearch);
  // Four of sixteen samples each are 64 strands to the queue.
  const seen = { nowMs: 0, budget: 64, waiting, running: [], guessing: { chances: [0.9], squeezed: false } };
  const widths = [...schedulerOf(contest, contender).decide(seen).widths.values()];
  expect(widths.map(({ primary }) => primary)).toEqual([1, 1, 1, 1]);
  expect(widths.reduce((sum, { primary, speculative }) => sum + primary + speculative, 0)).toBe(16);
});
