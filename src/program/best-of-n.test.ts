import { expect, test } from 'vitest';
import { fault } from '../base/fault.ts';
import { Tree } from '../tree/tree.ts';
import { createBestOfN } from './best-of-n.ts';

test('a sample that failed leaves a gap, which is foreseen before the samples behind it', () => {
  const program = createBestOfN({ samples: 5 });
  const tree = Tree.plant('product');
  const asks = [0, 1, 2].map(() => program.ask(tree, true)!);
  expect(asks.map(({ indices }) => indices)).toEqual([[0], [1], [2]]);
  program.tell(tree, { ok: false, node: 0, index: 1, fault: fault('internal', 'test') });
  const foreseen = program.foresee(tree, 3).map(({ indices }) => indices);
  expect(foreseen).toEqual([[1], [3], [4]]);
  expect(program.ask(tree, true)?.indices).toEqual([1]);
});

test('a window opens the next sample when one has ended, however wide the search may be', () => {
  const program = createBestOfN({ samples: 3, window: 2 });
  expect(program.naturalWidth).toBe(2);
  const tree = Tree.plant('product');
  expect([0, 1].map(() => program.ask(tree, true)?.indices)).toEqual([[0], [1]]);
  expect(program.ask(tree, true)).toBeUndefined();
  const step = { text: '7', tokens: 1, meanLogprob: 0, end: 'eos' } as const;
  program.tell(tree, { ok: true, node: 0, index: 1, form: 0, step, reward: 1, answer: '7' });
  expect(program.ask(tree, true)?.indices).toEqual([2]);
  expect(program.ask(tree, true)).toBeUndefined();
});
