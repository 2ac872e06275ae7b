// Rows of an ablation.

import { expect, test } from 'vitest';
import { ablatedRows } from './contenders.ts';

test('turns off each part that a policy has, one at a time', () => {
  expect(ablatedRows('vanilla')).toEqual(['vanilla']);
  const off = ['positiveExit=off', 'boundPrune=off', 'widths=natural'];
  expect(ablatedRows('safe')).toEqual(['safe', ...off.map((each) => `safe:${each}`)]);
});
