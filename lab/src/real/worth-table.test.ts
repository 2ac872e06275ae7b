import { Random } from '@coppice/core/base';
import { expect, it } from 'vitest';
import type { Sample } from './rivals.ts';
import { questionOf } from './worth-course.ts';
import { costOf, curvesOf, rightAt, tokensOf } from './worth-curves.ts';
import { lieRows, trustRows } from './worth-judges.ts';
import { priceTable } from './worth-prices.ts';
import { allArms, pooled, replayArms } from './worth-replay.ts';
import { budgetsTo, worthRows } from './worth-table.ts';

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

const sample = (right: boolean): Sample => ({ group: right ? 'a' : 'b', tokens: 10, score: right ? 0.9 : 0.2, right });
/** Every question has two right and two wrong samples: a plain vote of all is a tie, the judge breaks it. */
const questions = Array.from({ length: 6 }, () => questionOf([true, true, false, false].map(sample)));
const replay = { questions, most: 4, cost: 1, orders: 10, seed: 1 };

function replayedBy(seed: number) {
  return replayArms(questions, allArms(4, { trust: 1, cost: 1 }, 20), 20, (at) => new Random(seed, at));
}

function rowsOf(seed: number) {
  const replayed = replayedBy(seed);
  const all = curvesOf(tokensOf(questions), 4, replayed, budgetsTo(8), new Random(seed), 50);
  return worthRows(all, replayed);
}

it('tells what a judge adds, at its cost', () => {
  const rows = new Map(rowsOf(1).map((row) => [row.rule, row]));
  expect(rows.get('vote')!.right.at(-1)).toBeCloseTo(0.5, 12);
  expect(rows.get('weighted vote')!.right.at(-1)).toBeCloseTo(1, 12);
  expect(rows.get('vote')!.sameAccuracy.value).toBe(Number.POSITIVE_INFINITY);
  expect(rows.get('auto')!.sameAccuracy.value).toBeLessThanOrEqual(1);
  expect(rows.get('auto')!.ahead.vote!.at(-1)!.value).toBeCloseTo(0.5, 12);
  expect(rows.get('vote')!.beyond!.value).toBeCloseTo(0.5, 12);
  expect(Object.keys(rows.get('blind, 2 + half')!.ahead)).toEqual(['blind']);
});

it('tells the same by the same seed', () => {
  expect(rowsOf(3)).toEqual(rowsOf(3));
});

it('pools sets question by question', () => {
  const replayed = replayedBy(1);
  const both = pooled([replayed, replayed]);
  expect(both[0]!.levels[0]!.right).toHaveLength(12);
  expect(both.map(({ arm }) => arm.name)).toEqual(replayed.map(({ arm }) => arm.name));
});

it('tells fixed trust from audited, and lying judges from a vote', () => {
  const { audit, rows } = trustRows(replay);
  expect(audit.labelled).toBe(1);
  expect(rows.map(({ name }) => name)).toContain('audited: the slope squared');
  const lies = lieRows(replay);
  expect(lies.find(({ judge }) => judge === 'honest')!.vote.value).toBeLessThanOrEqual(1e-9);
  // An inverted judge that is trusted all the same has every tie wrong.
  const inverted = lies.find(({ judge, how }) => judge === 'inverted' && how === 'unknown')!;
  expect(inverted.vote.value).toBeGreaterThan(0.4);
});

it('tells what a price buys', () => {
  const { vote, arms } = priceTable(replay, 1, [0.3]);
  expect(vote).toBeCloseTo(0.5, 12);
  expect(arms.map(({ name }) => name)).toEqual(['no judge', 'no judge, looks within', 'judge at 0.3']);
  expect(arms[2]!.curve.at(-1)![1]).toBeCloseTo(1, 12);
});
