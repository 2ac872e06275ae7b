import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { width } from './width.ts';

it('holds safe against the best of the other rows, at the median and at p95 each', () => {
  const cell = (row: string) => ({ place: 'h200', seed: 1, factor: 1, requests: 10, row }) as const;
  const result = (p50Ms: number, p95Ms: number) => ({ p50Ms, p95Ms, tokens: 1, accuracy: 50 });
  const found = [
    { cell: cell('boost'), result: result(1000, 4000) },
    { cell: cell('safe:elasticity=1'), result: result(2000, 3000) },
    { cell: cell('safe'), result: result(1250, 2000) },
  ];
  const { lines } = width.report(found, planDefaults).data as { lines: { row: string; p50: number; p95: number }[] };
  expect(lines.map(({ row, p50, p95 }) => [row, p50.toFixed(3), p95.toFixed(3)])).toEqual([
    ['boost', '1.000', '0.750'],
    ['safe:elasticity=1', '0.500', '1.000'],
    ['safe', '0.800', '1.500'],
  ]);
});
