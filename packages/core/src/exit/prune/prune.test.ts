// Hand-worked cases of the prune rules.

import { describe, expect, it } from 'vitest';
import { askBelow, complete, growBelow, openAt, treeOf, viewOf } from '../../../../../tests/support/trees.ts';
import { prunePromise } from '../../../../papers/src/rules/prune-promise.ts';
import { FaultError } from '../../base/fault.ts';
import { doomedBy, pruningsOf, spentAt } from './prune.ts';
import { pruneBound } from './prune-bound.ts';
import { chanceToReach, experience, normalBelow, pruneOutdone } from './prune-outdone.ts';

/** A completed path at 0.5, and open strands at 0.9, 0.6, 0.5 and 0.4. */
function crowded() {
  const tree = treeOf('product', [
    { reward: 0.5, end: true },
    { reward: 0.9 },
    { reward: 0.6 },
    { reward: 0.5 },
    { reward: 0.4 },
  ]);
  const strands = [2, 3, 4, 5].map((id) => openAt(tree, tree.node(id)));
  return { tree, strands };
}

describe('the deterministic rule', () => {
  it('ends strands that can no longer reach the threshold', () => {
    const { tree, strands } = crowded();
    const prunings = pruningsOf(pruneBound('threshold'), viewOf(tree, { threshold: 0.6 }));
    expect(prunings).toEqual([
      { strand: strands[2], rule: 'bound-threshold', evidence: { score: 0.5, target: 0.6 } },
      { strand: strands[3], rule: 'bound-threshold', evidence: { score: 0.4, target: 0.6 } },
    ]);
  });

  it('with the best path as target, ends only those that cannot beat it', () => {
    const { tree, strands } = crowded();
    const prunings = pruningsOf(pruneBound('best'), viewOf(tree, { threshold: 0.95 }));
    expect(prunings.map(({ strand }) => strand)).toEqual([strands[2], strands[3]]);
    expect(prunings[0]?.evidence).toEqual({ score: 0.5, target: 0.5 });
  });

  it('ends what a checker has called false at once', () => {
    const tree = treeOf('product', [{ reward: 0 }, { reward: 0.01 }]);
    const strands = [1, 2].map((id) => openAt(tree, tree.node(id)));
    for (const target of ['threshold', 'best'] as const) {
      const prunings = pruningsOf(pruneBound(target), viewOf(tree));
      expect(prunings.map(({ strand, evidence }) => [strand, evidence])).toEqual([
        [strands[0], { score: 0, target: 0 }],
      ]);
    }
  });

  it('waits for a first completed path, and leaves a strand at its end alone', () => {
    const tree = treeOf('product', [{ reward: 0.1 }]);
    openAt(tree, tree.node(1));
    for (const target of ['threshold', 'best'] as const)
      expect(pruningsOf(pruneBound(target), viewOf(tree))).toEqual([]);
    const [end] = growBelow(tree, tree.root, [{ reward: 0.05, end: true }]);
    const atEnd = openAt(tree, end!);
    const pruned = pruningsOf(pruneBound('threshold'), viewOf(tree));
    expect(pruned.map(({ strand }) => strand)).not.toContain(atEnd);
    expect(pruned).toHaveLength(1);
  });

  it.each(['sum', 'mean', 'last'] as const)('refuses %s', (aggregation) => {
    const tree = treeOf(aggregation, [{ reward: 0.5, end: true }]);
    for (const rule of [pruneBound('best'), pruneBound('threshold')]) {
      expect(() => pruningsOf(rule, viewOf(tree))).toThrow(FaultError);
    }
  });
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

  it('knows the normal distribution', () => {
    expect(normalBelow(0)).toBeCloseTo(0.5, 7);
    expect(normalBelow(1.959963985)).toBeCloseTo(0.975, 6);
    expect(normalBelow(-1.644853627)).toBeCloseTo(0.05, 6);
  });
});

describe('the rule of the outdone', () => {
  it('ends a rollout between two steps that will hardly beat the best path, and passes over no leaf', () => {
    const { tree, strands } = crowded();
    // Hopeless too, but its children are on their way: it is judged when they have come.
    askBelow(tree, tree.node(5), 1);
    // One step is to come, and no strand has ended yet: the prior holds, 0.95 give or take a fifth.
    const prunings = pruningsOf(pruneOutdone(0.5), viewOf(tree, { threshold: 0.95 }));
    expect(prunings.map(({ strand }) => strand)).toEqual([strands[2], strands[3]]);
    expect(prunings[0]).toMatchObject({ rule: 'outdone', evidence: { score: 0.5, best: 0.5, stepsToCome: 1 } });
    expect(doomedBy([pruneOutdone(0.5)], viewOf(tree))).toBeUndefined();
  });

  it('counts under minimum the rewards that would beat the best path, whatever the threshold', () => {
    const tree = treeOf('minimum', [{ reward: 0.8 }]);
    let at = tree.root;
    for (const reward of [0.75, 0.8, 0.7, 0.75, 0.8, 0.5])
      at = growBelow(tree, at, [{ reward, end: reward === 0.5 }])[0]!;
    complete(tree, at);
    const strand = openAt(tree, tree.node(1));
    // Five of six rewards are at least 0.7, all six at least 0.5, none reaches the threshold.
    expect(experience(tree, 0.7).clearing).toBeCloseTo((4 * 0.95 + 5) / 10, 12);
    expect(pruningsOf(pruneOutdone(0.5), viewOf(tree, { threshold: 0.9 }))).toEqual([]);
    const sure = pruningsOf(pruneOutdone(0.95), viewOf(tree, { threshold: 0.9 }));
    expect(sure).toMatchObject([{ strand, evidence: { stepsToCome: 5, chance: 0.903921 } }]);
  });

  it('waits for a first completed path', () => {
    const tree = treeOf('product', [{ reward: 0.1 }]);
    openAt(tree, tree.node(1));
    expect(pruningsOf(pruneOutdone(1), viewOf(tree))).toEqual([]);
  });
});

describe('the rule of promise', () => {
  it('ends strands whose step promises too little, from the first step on, and leaves the unread alone', () => {
    const tree = treeOf('product', [{ reward: 1, promise: 0.04 }, { reward: 1, promise: 0.05 }, { reward: 0.1 }]);
    const strands = [1, 2, 3].map((id) => openAt(tree, tree.node(id)));
    expect(pruningsOf(prunePromise(0.05), viewOf(tree))).toEqual([
      { strand: strands[0], rule: 'promise', evidence: { promise: 0.04, bound: 0.05 } },
    ]);
    tree.record({ type: 'closed', strand: strands[0]!, closing: 'pruned' });
    expect([tree.root.visits, tree.root.value]).toEqual([1, 0.04]);
  });
});

describe('what is doomed', () => {
  it('is every node on which some rule would end a strand, and before the first completed path what has scored 0', () => {
    const { tree } = crowded();
    const doomed = doomedBy([pruneBound('best'), pruneBound('threshold')], viewOf(tree, { threshold: 0.7 }))!;
    expect([2, 3, 4, 5].map((id) => doomed(tree.node(id)))).toEqual([false, true, true, true]);
    expect(doomedBy([], viewOf(tree))).toBeUndefined();
  });

  it('is nothing above 0 where rollouts are spent, though no guess goes there', () => {
    const { tree } = crowded();
    const rules = [pruneBound('best')];
    const [open, all] = [false, true].map((each) => doomedBy(rules, viewOf(tree), each)!);
    expect([2, 3, 4, 5].map((id) => open!(tree.node(id)))).toEqual([false, false, false, false]);
    expect([2, 3, 4, 5].map((id) => all!(tree.node(id)))).toEqual([false, false, true, true]);
    expect(spentAt(rules, viewOf(tree), tree.node(2))).toBeUndefined();
    const spent = { rule: 'bound-best', evidence: { score: 0.4, target: 0.5 }, value: 0 };
    expect(spentAt(rules, viewOf(tree), tree.node(5))).toEqual(spent);
    expect(spentAt([pruneBound('threshold')], viewOf(tree, { threshold: 0.7 }), tree.node(5))).toBeUndefined();
  });

  it('is what has scored 0 before the first completed path', () => {
    const begun = treeOf('product', [{ reward: 0.1 }, { reward: 0 }]);
    for (const target of ['threshold', 'best'] as const) {
      const hopeless = doomedBy([pruneBound(target)], viewOf(begun))!;
      expect([1, 2].map((id) => hopeless(begun.node(id)))).toEqual([false, true]);
    }
  });
});
