// Rounds worked by hand: who is shown whom, what counts, and what is put to the model.

import { expect, test } from 'vitest';
import { Tree } from '../../../core/src/tree/tree.ts';
import { createAggregate } from './aggregate.ts';

function scene() {
  const program = createAggregate({ population: 3, rounds: 2, shown: 2, prompt: 'Look:\n{attempts}\nSo:\n' });
  const tree = Tree.plant('product');
  const asks = () => {
    const wanted = [];
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) wanted.push(ask);
    return wanted;
  };
  const tell = (index: number, answer: string) => {
    const step = { text: `by ${index}: ${answer}`, tokens: 5, meanLogprob: 0, end: 'eos' } as const;
    program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer });
  };
  return { program, tree, asks, tell };
}

test('a round begins when the one before it is complete, and is written from some of its answers', () => {
  const { program, tree, asks, tell } = scene();
  const first = asks();
  expect(first.map(({ indices, manner }) => [indices[0], manner?.stops, manner?.sources])).toEqual([
    [0, [], undefined],
    [1, [], undefined],
    [2, [], undefined],
  ]);
  tell(0, '7');
  tell(2, '9');
  expect(asks()).toEqual([]);
  expect(program.answer(tree)).toMatchObject({ answer: '7', complete: true });
  tell(1, '9');
  expect(program.answer(tree)).toMatchObject({ answer: '9', support: 2 / 3 });
  const second = asks();
  expect(second.map(({ indices }) => indices[0])).toEqual([3, 4, 5]);
  const keys = tree.root.children.map(({ key }) => key);
  for (const { manner } of second) {
    expect(new Set(manner?.sources).size).toBe(2);
    expect(manner?.sources?.every((key) => keys.includes(key))).toBe(true);
  }
  const [a, b] = second[0]!.manner!.sources!.map((key) => tree.nodeOf(key)!);
  expect(program.compose?.(tree, [a!, b!])).toBe(
    `Look:\nAttempt 1:\n${a!.step!.text}\n\nAttempt 2:\n${b!.step!.text}\nSo:\n`,
  );
});

test('the last round alone speaks, and certainty is its agreement', () => {
  const { program, tree, asks, tell } = scene();
  asks();
  for (const index of [0, 1, 2]) tell(index, '7');
  asks();
  expect(program.belief?.(tree).certainty()).toEqual({ answers: 3, agreement: 1 });
  for (const [index, answer] of [
    [3, '8'],
    [4, '8'],
    [5, '7'],
  ] as const)
    tell(index, answer);
  expect(asks()).toEqual([]);
  expect(program.answer(tree)).toMatchObject({ answer: '8', text: 'by 3: 8', support: 2 / 3 });
  expect(tree.closed.completed).toBe(6);
  expect(program.belief?.(tree).certainty().agreement).toBeCloseTo((2 * Math.log(2)) / (3 * Math.log(3)), 9);
});

test('an answer that failed is written again before its round is over', () => {
  const { program, tree, asks, tell } = scene();
  const [, lost] = asks();
  tell(0, '7');
  tell(2, '7');
  program.tell(tree, { ok: false, node: 0, index: 1, fault: { code: 'internal', message: '', retryable: true } });
  const again = asks();
  expect(again.map(({ indices, manner }) => [indices, manner])).toEqual([[lost!.indices, lost!.manner]]);
});
