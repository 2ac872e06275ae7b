// What a judge expects, by hand: over the candidates of its verdict, with a 10 that is two tokens, and until it is settled.

import { describe, expect, it } from 'vitest';
import { expectedRating, type RatedToken, ratedTokens } from './judge-verdict.ts';

const token = (text: string, shares: Readonly<Record<string, number>> = {}): RatedToken => ({
  token: text,
  candidates: Object.entries(shares).map(([each, share]) => ({ token: each, logprob: Math.log(share) })),
});

describe('expectedRating', () => {
  it('is the mean of the ratings that the last number could have been, by their probability', () => {
    const reply = [token('3'), token(' of'), token('Value:'), token(' 8', { ' 8': 0.5, ' 6': 0.25, ' none': 0.25 })];
    expect(expectedRating(reply, 1, 10)).toBeCloseTo((8 * 0.5 + 6 * 0.25) / 0.75);
  });

  it('shares the 1 of a 10 that is two tokens', () => {
    const reply = [token('Value:'), token('1', { '1': 0.8, '9': 0.2 }), token('0', { '0': 0.9, '.': 0.1 })];
    expect(expectedRating(reply, 1, 10)).toBeCloseTo(0.8 * (10 * 0.9 + 1 * 0.1) + 0.2 * 9);
  });

  it('says nothing of ratings off the scale, and without candidates', () => {
    expect(expectedRating([token('Value:'), token('42', { '42': 1 })], 1, 10)).toBeUndefined();
    expect(expectedRating([token('Value:'), token('7')], 1, 10)).toBeUndefined();
    expect(expectedRating([], 1, 10)).toBeUndefined();
  });
});

it('reads the candidates of a chat completion, and nothing where there are none', () => {
  const content = [
    {
      token: '7',
      logprob: -0.1,
      top_logprobs: [
        { token: '7', logprob: -0.1 },
        { token: '8', logprob: null },
      ],
    },
  ];
  expect(ratedTokens({ content })).toEqual([{ token: '7', candidates: [{ token: '7', logprob: -0.1 }] }]);
  expect(ratedTokens(null)).toEqual([]);
});
