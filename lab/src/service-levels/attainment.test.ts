import { expect, it } from 'vitest';
import type { Served } from '../service/index.ts';
import { attainment, fairnessOf, loadAtLevel, tightestScale } from './attainment.ts';

const served = (seconds: number, difficulty: 1 | 2 | 3, exit: Served['exit'] = 'exhausted'): Served => ({
  arrivalMs: 500,
  admittedMs: 500,
  endedMs: 500 + 1000 * seconds,
  tokens: 100,
  rollouts: 1,
  correct: true,
  exit,
  difficulty,
});

it('counts who ended by itself within base times scale times difficulty', () => {
  const all = [served(4, 1), served(7, 2), served(13, 3), served(3, 1, 'deadline')];
  expect(attainment(all, 2000, 2)).toBe(50);
  expect(attainment(all, 2000, 1)).toBe(0);
  expect(attainment(all, 2000, 100)).toBe(75);
});

it('finds the tightest scale that nine in ten keep, and how long a token took', () => {
  const all = Array.from({ length: 20 }, (_, at) => served(at + 1, 1));
  expect(tightestScale(all, 1000)).toBe(18);
  expect(attainment(all, 1000, 18)).toBe(90);
  expect(
    fairnessOf(
      all,
      all.map(() => 100),
    ),
  ).toEqual({ p50: 100, p90: 180, p99: 200 });
});

it('reads the load at the level off the first crossing, straight between two loads', () => {
  expect(
    loadAtLevel([
      [0.5, 99],
      [1, 92],
      [1.5, 82],
      [2, 95],
    ]),
  ).toBeCloseTo(1.1, 9);
  expect(
    loadAtLevel([
      [0.5, 89],
      [1, 99],
    ]),
  ).toBeUndefined();
  expect(
    loadAtLevel([
      [0.5, 99],
      [2, 91],
    ]),
  ).toBe(2);
});
