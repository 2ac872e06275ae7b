import { describe, expect, it } from 'vitest';
import { medianInterval } from './median.ts';
import { fewestHeld, largestHeld } from './monotone-search.ts';

function asking(edge: number, isBelow = true) {
  const asked: number[] = [];
  const holds = async (value: number) => {
    asked.push(value);
    return isBelow ? value <= edge : value >= edge;
  };
  return { asked, holds };
}

describe('the largest rate that holds', () => {
  it.each([
    [0.97, 1],
    [0.97, 0.95],
    [0.6, 1],
    [0.6, 0.62],
    [0.6, 0.3],
    [0.05, 1],
  ])('is found within the precision in few questions: edge %d, looked for from %d', async (edge, from) => {
    const { asked, holds } = asking(edge);
    const found = await largestHeld(holds, { from, cap: 1, precision: 1.05 });
    expect(Math.abs(Math.log(found! / edge))).toBeLessThan(Math.log(1.05));
    expect(asked.length).toBeLessThanOrEqual(edge < 0.1 ? 13 : Math.abs(from - edge) < 0.1 ? 4 : 9);
    expect(Math.max(...asked)).toBeLessThanOrEqual(1);
  });

  it('is the cap where that holds, after one question, and none where nothing does', async () => {
    const all = asking(2);
    expect(await largestHeld(all.holds, { from: 1, cap: 1, precision: 1.05 })).toBe(1);
    expect(all.asked).toEqual([1]);
    expect(await largestHeld(asking(0).holds, { from: 1, cap: 1, precision: 1.05 })).toBeUndefined();
  });
});

it.each([
  [1, 5],
  [5, 5],
  [6, 5],
  [17, 5],
  [64, 5],
])('finds that %d are the fewest that hold, looking around %d', async (edge, from) => {
  const { asked, holds } = asking(edge, false);
  expect(await fewestHeld(holds, from, 64)).toBe(edge);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeLessThanOrEqual(edge < 7 ? 4 : 12);
});

it('finds no number where none holds', async () => {
  expect(await fewestHeld(asking(65, false).holds, 5, 64)).toBeUndefined();
});

describe('a median', () => {
  it('lies between the extremes of six with 97 %, and between the 6th and the 15th of twenty with 95.9 %', () => {
    expect(medianInterval([5, 1, 6, 2, 4, 3])).toEqual({ value: 3.5, low: 1, high: 6 });
    const twenty = Array.from({ length: 20 }, (_, at) => at + 1);
    expect(medianInterval(twenty)).toEqual({ value: 10.5, low: 6, high: 15 });
    expect(() => medianInterval([1, 2, 3, 4, 5])).toThrow(/needs 6 values/);
  });
});
