// Hand-worked cases of the probabilistic prune rule.

import { pruningsOf } from '@coppice/core/exit';
import { FaultError } from 'coppice';
import { expect, test } from 'vitest';
import { askBelow, complete, growBelow, openAt, treeOf, viewOf } from '../../../tests/support/trees.ts';
import { pruneChance } from './chance-prune.ts';

/** One completed path of the given rewards, and an open strand below a first step of 0.9. */
function grownAfter(rewards: readonly number[]) {
  const tree = treeOf('product', [{ reward: 0.9 }]);
  let at = tree.root;
  rewards.forEach((reward, depth) => {
    at = growBelow(tree, at, [{ reward, end: depth === rewards.length - 1 }])[0]!;
  });
  complete(tree, at);
  return { tree, strand: askBelow(tree, tree.node(1), 1) };
}

test('ends a strand that would need what this tree has not shown', () => {
  const { tree, strand } = grownAfter([0.4, 0.3, 0.5, 0.4, 0.3, 0.4]);
  expect(pruningsOf(pruneChance(0.05), viewOf(tree))).toEqual([
    {
      strand,
      rule: 'chance',
      evidence: { score: 0.9, threshold: 0.65, stepsToCome: 5, chance: expect.any(Number), epsilon: 0.05 },
    },
  ]);
});

test('keeps it where the steps were good, or few were seen', () => {
  expect(pruningsOf(pruneChance(0.05), viewOf(grownAfter([0.95, 0.9, 0.95, 0.98, 0.9, 0.9]).tree))).toEqual([]);
  expect(pruningsOf(pruneChance(0.05), viewOf(grownAfter([0.3]).tree))).toEqual([]);
});

test('waits for a first completed path', () => {
  const tree = treeOf('product', [{ reward: 0.1 }]);
  openAt(tree, tree.node(1));
  expect(pruningsOf(pruneChance(0.5), viewOf(tree))).toEqual([]);
});

test.each(['sum', 'mean', 'last'] as const)('refuses %s', (aggregation) => {
  const tree = treeOf(aggregation, [{ reward: 0.5, end: true }]);
  expect(() => pruningsOf(pruneChance(0.1), viewOf(tree))).toThrow(FaultError);
});
