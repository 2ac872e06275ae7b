import { expect, test } from 'vitest';
import { Tree } from '../tree/tree.ts';
import type { SearchView } from './exit.ts';
import { positive } from './positive.ts';

/** Finished paths of one step, with these answers and rewards. */
function treeOf(paths: readonly (readonly [string | undefined, number])[]): Tree {
  const tree = Tree.replay([{ type: 'planted', aggregation: 'product' }]);
  tree.record({ type: 'opened', strand: 0, node: 0 });
  const indices = paths.map((_, index) => index);
  tree.record({ type: 'asked', strand: 0, node: 0, indices, sampling: { temperature: 1 } });
  for (const [index, [answer, reward]] of paths.entries()) {
    const step = { text: answer ?? '?', tokens: 1, meanLogprob: 0, end: 'eos' } as const;
    tree.record({
      type: 'grown',
      node: index + 1,
      key: index + 1,
      parent: 0,
      index,
      step,
      reward,
      terminal: true,
      answer,
    });
  }
  return tree;
}

function exits(paths: readonly (readonly [string, number])[], count: number): boolean {
  const view = {
    tree: treeOf(paths),
    limits: { threshold: 0.8, rollouts: 9, answers: count },
  } as unknown as SearchView;
  return positive.check(view) !== undefined;
}

test('waits for as many different answers as were asked for, each above the threshold', () => {
  expect(exits([['4', 0.9]], 1)).toBe(true);
  expect(exits([['4', 0.9]], 2)).toBe(false);
  expect(
    exits(
      [
        ['4', 0.9],
        ['4.0', 0.95],
      ],
      2,
    ),
  ).toBe(false);
  expect(
    exits(
      [
        ['4', 0.9],
        ['5', 0.7],
      ],
      2,
    ),
  ).toBe(false);
  expect(
    exits(
      [
        ['4', 0.9],
        ['5', 0.8],
      ],
      2,
    ),
  ).toBe(true);
});

test('a path that says no answer gives way to the best that says one, where answers are marked', () => {
  const check = (paths: readonly (readonly [string | undefined, number])[], marked?: boolean) => {
    const view = { tree: treeOf(paths), limits: { threshold: 0.8, rollouts: 9, marked } } as unknown as SearchView;
    return positive.check(view)?.evidence;
  };
  const unsaid = [
    [undefined, 0.95],
    ['4', 0.9],
  ] as const;
  expect(check(unsaid, true)).toMatchObject({ node: 2, score: 0.9 });
  expect(check(unsaid)).toMatchObject({ node: 1, score: 0.95 });
  expect(check([[undefined, 0.95]], true)).toBeUndefined();
  expect(
    check(
      [
        [undefined, 0.95],
        ['4', 0.7],
      ],
      true,
    ),
  ).toBeUndefined();
});
