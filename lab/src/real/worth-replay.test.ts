import { Random } from '@coppice/core/base';
import { expect, it } from 'vitest';
import type { Sample } from './rivals.ts';
import { allArms, looksOf, replayArms, stop } from './worth-replay.ts';

const sample = (group: string | undefined, tokens: number, score: number): Sample => {
  return { group, tokens, score, right: group === 'a' };
};
const samples = [sample('b', 30, 0.4), sample('a', 10, 0.9), sample('a', 20, 0.5), sample(undefined, 40, 0.1)];
const arms = new Map(allArms(4).map((arm) => [arm.name, arm]));
const stopped = (name: string, level: number, judgeCost = 1) => {
  const arm = arms.get(name)!;
  return stop(looksOf(samples, arm.open), arm, level, judgeCost);
};

it('tells leads and right answers after each sample, a tie by the share of right ones in it', () => {
  const looks = looksOf(samples, 1);
  expect(looks.map(({ generated, read }) => [generated, read])).toEqual([
    [30, 30],
    [40, 40],
    [60, 60],
    [100, 100],
  ]);
  expect(looks.map(({ votes }) => votes)).toEqual([
    { ahead: 1, right: 0 },
    { ahead: 0, right: 0.5 },
    { ahead: 1, right: 1 },
    { ahead: 1, right: 1 },
  ]);
  expect(looks.map(({ scores }) => Number(scores.ahead.toFixed(3)))).toEqual([0.4, 0.5, 1, 1]);
  expect(looks.map(({ best }) => best.right)).toEqual([0, 1, 1, 1]);
});

it('ends short samples first where several are open, and counts what the open ones have written', () => {
  // At 10 the second ends and the third begins; at 30 the first and the third end, the first begun first.
  const looks = looksOf(samples, 2);
  expect(looks.map(({ generated, read }) => [generated, read])).toEqual([
    [20, 10],
    [60, 40],
    [60, 60],
    [100, 100],
  ]);
  expect(looksOf(samples, 4).map(({ generated }) => generated)).toEqual([40, 70, 90, 100]);
  expect(looksOf(samples, 4)[0]!.votes).toEqual({ ahead: 1, right: 1 });
});

it('stops each rule where it says, the judge at its cost and none where nothing judges', () => {
  expect(stopped('vote', 2)).toEqual({ right: 0.5, spent: 40, waves: 2 });
  expect(stopped('weighted vote', 3)).toMatchObject({ right: 1, spent: 120 });
  expect(stopped('best of n', 2, 0.5)).toMatchObject({ right: 1, spent: 60 });
  // ln(1 / 0.5) / 1.4 = 0.495: the first lead of 0.4 is too small.
  expect(stopped('lead', 0.5)).toMatchObject({ right: 1, spent: 80 });
  // e^(−0.56) / 60 = 0.0095, then e^(−0.7) / 80 = 0.0062.
  expect(stopped('worth', 0.0096)).toMatchObject({ right: 0, spent: 60 });
  expect(stopped('worth', 0.0094)).toMatchObject({ right: 1, spent: 80 });
  // e^(−1.4) / 30 = 0.0082, 1 / 40 = 0.025, e^(−1.4 / √3) / 60 = 0.0074.
  expect(stopped('blind', 0.0083)).toMatchObject({ right: 0, spent: 30 });
  expect(stopped('blind', 0.0081)).toMatchObject({ right: 1, spent: 60 });
  expect(stopped('blind', 1e-9)).toMatchObject({ right: 1, spent: 100 });
});

it('looks after each wave alone: two samples, then half of those that it expects to need', () => {
  // 1 / 40 after two; 1 / 80 at four would be above this price, so two of two are missing and one is drawn.
  expect(stopped('blind, 2 + half', 0.0081)).toEqual({ right: 1, spent: 60, waves: 2 });
  expect(stopped('blind, 2 + half', 1e-9)).toEqual({ right: 1, spent: 100, waves: 3 });
  expect(stopped('blind, 4 + all', 0.1)).toEqual({ right: 1, spent: 100, waves: 1 });
});

it('replays the same orders by the same seed', () => {
  const replayed = (seed: number) => replayArms([samples], allArms(4), 1, 5, () => new Random(seed));
  const told = (seed: number) =>
    replayed(seed).map(({ levels }) => levels.map(({ right, spent }) => [right[0], spent[0]]));
  expect(told(1)).toEqual(told(1));
  expect(told(1)).not.toEqual(told(2));
});
