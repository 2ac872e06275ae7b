import { expect, test } from 'vitest';
import { toldProgram } from '../../../../tests/support/told-program.ts';
import { createRebase } from './rebase.ts';

/** A reward higher by 0.1 gets twice the children: weights are powers of two. */
const balance = 0.1 / Math.log(2);

function scene(paths: number, firstPaths = 0) {
  return toldProgram(createRebase({ paths, balance, firstPaths }), 'last');
}

test('steps get children by the softmax of their rewards, out of what finished paths leave', () => {
  const { program, tree, tell, asks } = scene(4);
  expect(asks()).toEqual([[undefined, [0, 1, 2, 3]]]);
  tell(0, 0, 'a\n', 0.9);
  tell(0, 1, 'b\n', 0.8);
  tell(0, 2, 'c\n', 0.7);
  tell(0, 3, '7', 0.6);
  // Three draws are left. Weights 4 : 2 : 1 are 1.71, 0.86 and 0.43 of them: 1, 0, 0 and the two largest remainders.
  expect(tree.closed.completed).toBe(1);
  expect(asks()).toEqual([
    ['a\n', [0, 1]],
    ['b\n', [0]],
  ]);
  tell(1, 0, '5', 0.9);
  tell(1, 1, '5.0', 0.8);
  tell(2, 0, '7.0', 0.5);
  expect(asks()).toEqual([]);
  expect(tree.closed.completed).toBe(4);
  expect(program.answer(tree)).toMatchObject({ answer: '5', score: 0.9 });
});

test('a step that was drawn twice has the share of two, and two paths that say the same finish as two', () => {
  const { tree, tell, asks } = scene(6);
  asks();
  for (const index of [0, 1]) tell(0, index, 'a\n', 0.8);
  tell(0, 2, 'b\n', 0.9);
  for (const index of [3, 4, 5]) tell(0, index, '7', 0.5);
  expect(tree.closed.completed).toBe(3);
  // Weights 2 · 1 and 2: half of three each, and the odd one to the lower key.
  const draws = asks().map(([, indices]) => indices.length);
  expect(draws.sort()).toEqual([1, 2]);
});

test('a second round begins at the root when the first has come to its ends, and leaves its draws alone', () => {
  const { program, tree, tell, asks } = scene(5, 2);
  expect(asks()).toEqual([[undefined, [0, 1]]]);
  tell(0, 0, 'a\n', 0.9);
  tell(0, 1, 'a\n', 0.9);
  expect(asks()).toEqual([['a\n', [0, 1]]]);
  tell(1, 0, '5', 0.9);
  expect(tree.closed.completed).toBe(0);
  tell(1, 1, '7', 0.5);
  expect([tree.closed.completed, tree.strands.size]).toEqual([2, 0]);

  expect(asks()).toEqual([[undefined, [2, 3, 4]]]);
  tell(0, 2, 'a\n', 0.9);
  tell(0, 3, 'b\n', 0.8);
  tell(0, 4, 'a\n', 0.9);
  // Three draws: a was drawn twice in this round, so it weighs twice as much as b: 2.4 and 0.6, so 2 and 1. Indices follow a's first two.
  expect(asks()).toEqual([
    ['a\n', [2, 3]],
    ['b\n', [0]],
  ]);
  tell(1, 2, '5', 0.9);
  tell(1, 3, '8', 0.2);
  tell(4, 0, '5', 0.7);
  expect(asks()).toEqual([]);
  expect(tree.closed.completed).toBe(5);
  expect([program.expandsOnce, tree.answers.answers]).toEqual([false, 5]);
});

test('while steps are missing, those that have come expect the share that they would have if all were like them', () => {
  const { program, tree, tell, asks } = scene(8);
  asks();
  tell(0, 0, 'a\n', 0.9);
  tell(0, 1, 'b\n', 0.8);
  // Two of eight have arrived: a quarter of 8 draws, 2 : 1, rounded up.
  const foreseen = () => program.foresee(tree, 8).map(({ node, indices }) => [node.step?.text, indices.length]);
  expect(foreseen()).toEqual([
    ['a\n', 2],
    ['b\n', 1],
  ]);
  // Draws beyond a's share are abandoned, but only once its level is complete.
  const [a] = tree.root.children.filter(({ step }) => step?.text === 'a\n');
  expect(program.level?.(tree)).toEqual({ draws: new Map([[tree.root.key, 8]]), needsWhole: true });
  for (let index = 2; index < 8; index += 1) tell(0, index, `${index}\n`, 0.9);
  expect(program.level?.(tree).draws.get(a!.key)).toBe(1);
});
