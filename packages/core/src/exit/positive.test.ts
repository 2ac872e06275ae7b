import { expect, test } from 'vitest';
import { Tree } from '../tree/tree.ts';
import type { SearchView } from './exit.ts';
import { positive, positiveAnswers } from './positive.ts';

/** Finished paths of one step, with these answers and rewards. */
function treeOf(paths: readonly (readonly [string, number])[]): Tree {
  const tree = Tree.replay([{ type: 'planted', aggregation: 'product' }]);
  tree.record({ type: 'opened', strand: 0, node: 0 });
  const indices = paths.map((_, index) => index);
  tree.record({ type: 'asked', strand: 0, node: 0, indices, sampling: { temperature: 1 } });
  for (const [index, [answer, reward]] of paths.entries()) {
    const step = { text: answer, tokens: 1, meanLogprob: 0, end: 'eos' } as const;
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
  const view = { tree: treeOf(paths), limits: { threshold: 0.8, rollouts: 9 } } as unknown as SearchView;
  return (count === 1 ? positive : positiveAnswers(count)).check(view) !== undefined;
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
