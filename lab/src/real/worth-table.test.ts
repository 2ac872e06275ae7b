import { Random } from '@coppice/core/base';
import { expect, it } from 'vitest';
import type { Sample } from './rivals.ts';
import { allArms, replayArms } from './worth-replay.ts';
import { costOf, rightAt, worthRows } from './worth-table.ts';

const curve = [
  [0.2, 0.5],
  [0.4, 0.7],
  [0.8, 0.6],
] as const;

it('reads right answers between two levels in proportion, none below the first, the last beyond the end', () => {
  expect([0.1, 0.2, 0.3, 0.6, 2].map((cost) => rightAt(curve, cost)?.toFixed(3))).toEqual([
    undefined,
    '0.500',
    '0.600',
    '0.650',
    '0.600',
  ]);
});

it('reads the least cost of so many right answers', () => {
  expect(costOf(curve, 0.4)).toBe(0.2);
  expect(costOf(curve, 0.65)).toBeCloseTo(0.35, 12);
  expect(costOf(curve, 0.8)).toBe(Number.POSITIVE_INFINITY);
});

const sample = (right: boolean): Sample => ({ group: right ? 'a' : 'b', tokens: 10, score: right ? 1 : 0.2, right });
/** Every question has two right and two wrong samples: a plain vote of all is a tie, the judge breaks it. */
const questions = Array.from({ length: 6 }, () => [true, true, false, false].map(sample));

function rowsOf(seed: number) {
  const replayed = replayArms(questions, allArms(4), 1, 20, (at) => new Random(seed, at));
  return worthRows(questions, replayed, [1, 2], new Random(seed));
}

it('tells what a judge adds, at its cost', () => {
  const rows = new Map(rowsOf(1).map((row) => [row.rule, row]));
  for (const right of rows.get('vote')!.right) expect(right).toBeCloseTo(0.5, 12);
  expect(rows.get('weighted vote')!.right[1]).toBeCloseTo(1, 12);
  expect(rows.get('vote')!.sameAccuracy.value).toBe(Number.POSITIVE_INFINITY);
  expect(rows.get('weighted vote')!.sameAccuracy.value).toBeLessThanOrEqual(1);
  const ahead = rows.get('worth')!.ahead.vote![1]!;
  for (const end of Object.values(ahead)) expect(end).toBeCloseTo(0.5, 12);
  expect(Object.keys(rows.get('blind, 2 + half')!.ahead)).toEqual(['blind']);
});

it('tells the same by the same seed', () => {
  expect(rowsOf(3)).toEqual(rowsOf(3));
});
