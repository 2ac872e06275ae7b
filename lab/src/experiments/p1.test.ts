import { expect, test } from 'vitest';
import { svgOf } from '../experiment/svg.ts';
import { printed } from '../experiment/table.ts';
import { contenderOf } from '../sim/contenders.ts';
import { certaintyCharts, certaintyTable, p1 } from './p1.ts';

test('a table has a line for every cap and rule, with what a rule saves against none', () => {
  const even = {
    program: 'rebase',
    cap: 16,
    rule: 'none',
    tokens: 200,
    accuracy: 70,
    certain: 0,
    saved: { value: 0, half: undefined },
    points: { value: 0, half: undefined },
  } as const;
  const ruled = {
    ...even,
    rule: 'threshold 0.75',
    tokens: 150,
    accuracy: 70.5,
    certain: 40,
    saved: { value: 25, half: 1.26 },
    points: { value: 0.5, half: undefined },
  };
  expect(
    printed([certaintyTable([even, ruled])], 'markdown')
      .split('\n')
      .slice(2),
  ).toEqual([
    '| rebase | 16 | none | 200 | 70.0 | 0 |  |  |',
    '| rebase | 16 | threshold 0.75 | 150 | 70.5 | 40 | 25.0 ± 1.3 | 0.5 |',
  ]);
  const [figure, ...others] = certaintyCharts([even, ruled], 'note', 'p1');
  expect(others).toEqual([]);
  expect(figure?.name).toBe('p1-rebase');
  expect(svgOf(figure!.chart)).toContain('threshold 0.75');
});

test('what it compares are rows that --policy can choose among', () => {
  expect(p1.preset.rows?.map((row) => contenderOf(row).program)).toEqual([
    'self-consistency',
    'mcts',
    'rebase',
    'chain',
  ]);
});
