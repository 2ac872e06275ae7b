// Hand-worked cases of the prune rules.

import { describe, expect, it } from 'vitest';
import { growBelow, openAt, treeOf, viewOf } from '../../../../tests/support/trees.ts';
import { FaultError } from '../base/fault.ts';
import { doomedBy, pruningsOf, spentAt } from './prune.ts';
import { pruneBound } from './prune-bound.ts';

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
