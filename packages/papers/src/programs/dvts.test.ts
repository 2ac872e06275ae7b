import { expect, test } from 'vitest';
import { toldProgram } from '../../../../tests/support/told-program.ts';
import { createDvts } from './dvts.ts';

/** Two subtrees of two candidates. */
const scene = () => toldProgram(createDvts({ subtrees: 2, candidates: 2 }), 'product');

test('each subtree goes on with the best of its own candidates, though another has two that are better', () => {
  const { program, tree, tell, asks } = scene();
  expect(asks()).toEqual([[undefined, [0, 1, 2, 3]]]);
  tell(0, 0, 'a\n', 0.9);
  tell(0, 1, 'b\n', 0.8);
  tell(0, 2, 'c\n', 0.3);
  tell(0, 3, 'd\n', 0.5);
  expect(asks()).toEqual([
    ['a\n', [0, 1]],
    ['d\n', [0, 1]],
  ]);
  const [a, d] = ['a\n', 'd\n'].map((text) => tree.nodes.find(({ step }) => step?.text === text)!.id);
  tell(a!, 0, '7', 0.5);
  tell(a!, 1, 'e\n', 0.4);
  tell(d!, 0, '5', 0.8);
  tell(d!, 1, 'f\n', 0.9);
  // 0.9 · 0.5 is finished. Below d, the open candidate is better than the answer, so the answer was not chosen.
  expect(tree.closed.completed).toBe(1);
  expect(asks()).toEqual([['f\n', [0, 1]]]);
  expect(program.answer(tree)).toMatchObject({ answer: '7', score: 0.45 });
});

test('subtrees that drew the same step share its node, each with candidates of its own', () => {
  const { tree, tell, asks } = scene();
  asks();
  tell(0, 0, 'a\n', 0.9);
  tell(0, 1, 'b\n', 0.8);
  tell(0, 2, 'a\n', 0.9);
  tell(0, 3, 'd\n', 0.5);
  expect(asks()).toEqual([['a\n', [0, 1, 2, 3]]]);
  tell(1, 0, 'e\n', 0.9);
  tell(1, 1, 'f\n', 0.8);
  tell(1, 2, 'g\n', 0.1);
  tell(1, 3, 'h\n', 0.2);
  expect(asks()).toEqual([
    ['e\n', [0, 1]],
    ['h\n', [0, 1]],
  ]);
  expect(tree.strands.size).toBe(2);
});
