import { expect, test } from 'vitest';
import { contenderOf } from './contenders.ts';
import { certaintyRows, certaintyTable } from './p1.ts';

test('a table has a line for every cap and rule, with what a rule saves against none', () => {
  const even = {
    program: 'rebase',
    cap: 16,
    rule: 'none',
    tokens: 200,
    accuracy: 70,
    certain: 0,
    saved: 0,
    points: 0,
  } as const;
  const ruled = { ...even, rule: 'threshold 0.75', tokens: 150, accuracy: 70.5, certain: 40, saved: 25, points: 0.5 };
  expect(certaintyTable([even, ruled]).split('\n').slice(2)).toEqual([
    '| rebase | 16 | none | 200 | 70.0 | 0 |  |  |',
    '| rebase | 16 | threshold 0.75 | 150 | 70.5 | 40 | 25.0 | +0.5 |',
  ]);
});

test('what it compares are rows that --policy can choose among', () => {
  expect(certaintyRows.map((row) => contenderOf(row).program)).toEqual(['self-consistency', 'mcts', 'rebase']);
});
