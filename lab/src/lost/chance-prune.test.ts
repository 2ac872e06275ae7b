// Hand-worked cases of the probabilistic prune rule.

import { pruningsOf } from '@coppice/core/exit';
import { FaultError } from 'coppice';
import { describe, expect, it, test } from 'vitest';
import { askBelow, complete, growBelow, openAt, treeOf, viewOf } from '../../../tests/support/trees.ts';
import { chanceToReach, experience, normalBelow } from './chance.ts';
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

describe('the chance to reach a score', () => {
  it('shrinks towards its prior: 4 steps at 0.95', () => {
    // Four seen at 0.95 leave the mean as it is and halve the prior variance of 0.04.
    const tree = treeOf('product', [{ reward: 0.9 }]);
    let at = tree.root;
    for (const depth of [1, 2, 3, 4]) at = growBelow(tree, at, [{ reward: 0.95, end: depth === 4 }])[0]!;
    complete(tree, at);
    askBelow(tree, tree.node(1), 1);
    const past = experience(tree, 0.65);
    expect(past.steps).toBe(4);
    expect(past.meanDepth).toBe(4);
    expect(past.logMean).toBeCloseTo(Math.log(0.95), 12);
    expect(past.logVariance).toBeCloseTo(0.02, 12);
    expect(past.clearing).toBeCloseTo((4 * 0.95 + 4) / 8, 12);
  });

  it('puts the chance as the model says', () => {
    const past = { steps: 4, logMean: -0.1, logVariance: 0.02, clearing: 0.9, meanDepth: 8 };
    // Two steps to come: mean -0.2, variance 0.02 * (2 + 4/8) = 0.05; room log(0.65/0.9) = -0.3254.
    const z = (Math.log(0.65 / 0.9) + 0.2) / Math.sqrt(0.05);
    expect(chanceToReach('product', 0.9, 0.65, 2, past)).toBeCloseTo(1 - normalBelow(z), 12);
    expect(chanceToReach('minimum', 0.9, 0.65, 2, past)).toBeCloseTo(0.81, 12);
    expect(chanceToReach('product', 0.6, 0.65, 2, past)).toBe(0);
  });

  it('counts under minimum the rewards that reach the target', () => {
    const tree = treeOf('minimum', []);
    let at = tree.root;
    for (const reward of [0.75, 0.8, 0.7, 0.75, 0.8, 0.5])
      at = growBelow(tree, at, [{ reward, end: reward === 0.5 }])[0]!;
    complete(tree, at);
    expect(experience(tree, 0.7).clearing).toBeCloseTo((4 * 0.95 + 5) / 10, 12);
  });

  it('knows the normal distribution', () => {
    expect(normalBelow(0)).toBeCloseTo(0.5, 7);
    expect(normalBelow(1.959963985)).toBeCloseTo(0.975, 6);
    expect(normalBelow(-1.644853627)).toBeCloseTo(0.05, 6);
  });
});
