// Hand-worked cases of the exit rules.

import { describe, expect, it } from 'vitest';
import { askBelow, complete, growBelow, openAt, treeOf, viewOf } from '../../../../tests/support/trees.ts';
import { FaultError } from '../base/fault.ts';
import { deadline, nodeBudget, rolloutBudget, tokenBudget } from './budgets.ts';
import { firstDepthCut, firstViable, selectiveNegative, strictNegative } from './negative.ts';
import { positive } from './positive.ts';

describe('positive', () => {
  it('accepts the first completed path at the threshold, and says by how much', () => {
    const tree = treeOf('product', [{ reward: 0.9, children: [{ reward: 0.8, end: true }] }]);
    expect(positive.check(viewOf(tree, { threshold: 0.73 }))).toBeUndefined();
    expect(positive.check(viewOf(tree, { threshold: 0.72 }))).toEqual({
      kind: 'accepted',
      rule: 'positive',
      evidence: { score: 0.72, threshold: 0.72, node: 2, rollouts: 1 },
    });
  });

  it('does not accept a high score on a path that is not completed', () => {
    expect(positive.check(viewOf(treeOf('product', [{ reward: 0.99 }])))).toBeUndefined();
  });
});

describe('strict negative', () => {
  // P0 Fig. 5, threshold 0.3: a completed path at 0.2 and leaves at 0.25 and 0.24.
  const figure5 = () =>
    treeOf('product', [
      { reward: 0.5, children: [{ reward: 0.4, end: true }, { reward: 0.5 }] },
      { reward: 0.6, children: [{ reward: 0.4 }] },
    ]);

  it('ends a search whose leaves are all below the threshold', () => {
    expect(strictNegative.check(viewOf(figure5(), { threshold: 0.3 }))).toEqual({
      kind: 'futile',
      rule: 'negative-strict',
      evidence: { leaves: 2, bestLeaf: 0.25, bestCompleted: 0.2, threshold: 0.3 },
    });
  });

  it('goes on while one leaf is viable, a leaf exactly at the threshold included', () => {
    expect(strictNegative.check(viewOf(figure5(), { threshold: 0.25 }))).toBeUndefined();
  });

  it('counts a node with children in flight as a leaf', () => {
    const tree = figure5();
    const viable = growBelow(tree, tree.root, [{ reward: 0.9, children: [{ reward: 0.1 }] }])[0]!;
    expect(strictNegative.check(viewOf(tree, { threshold: 0.3 }))?.kind).toBe('futile');
    const strand = askBelow(tree, viable, 1);
    expect(strictNegative.check(viewOf(tree, { threshold: 0.3 }))).toBeUndefined();
    tree.record({ type: 'closed', strand, closing: 'ended' });
    expect(strictNegative.check(viewOf(tree, { threshold: 0.3 }))?.kind).toBe('futile');
  });

  it('counts a node whose expansion was preempted as a leaf, until it is completed', () => {
    const tree = figure5();
    const [viable] = growBelow(tree, tree.root, [{ reward: 0.9, children: [{ reward: 0.1 }] }]);
    tree.record({ type: 'closed', strand: askBelow(tree, viable!, 1), closing: 'preempted' });
    expect(strictNegative.check(viewOf(tree, { threshold: 0.3 }))).toBeUndefined();
    growBelow(tree, viable!, [{ reward: 0.2 }]);
    expect(strictNegative.check(viewOf(tree, { threshold: 0.3 }))?.kind).toBe('futile');
  });

  it('lets the first path through to its end', () => {
    const tree = treeOf('product', [{ reward: 0.2 }, { reward: 0.1 }]);
    expect(strictNegative.check(viewOf(tree))).toBeUndefined();
    growBelow(tree, tree.root.children[0]!, [{ reward: 0.5, end: true }]);
    expect(strictNegative.check(viewOf(tree))?.kind).toBe('futile');
  });

  it('waits for the strand that was opened first, though another is whole before it', () => {
    const tree = treeOf('product', []);
    const first = openAt(tree, tree.root);
    growBelow(tree, tree.root, [{ reward: 0.1, children: [{ reward: 0.5, end: true }] }, { reward: 0.2 }]);
    expect(strictNegative.check(viewOf(tree))).toBeUndefined();
    tree.record({ type: 'closed', strand: first, closing: 'preempted' });
    expect(strictNegative.check(viewOf(tree))?.kind).toBe('futile');
  });

  it('does not wait for a path that was pruned', () => {
    const tree = treeOf('product', [{ reward: 0 }, { reward: 0.1 }]);
    const strand = openAt(tree, tree.root.children[0]!);
    expect(strictNegative.check(viewOf(tree))).toBeUndefined();
    tree.record({ type: 'closed', strand, closing: 'pruned' });
    expect(strictNegative.check(viewOf(tree))).toMatchObject({ kind: 'futile', evidence: { bestCompleted: 0 } });
  });

  it('is silent when nothing is left to grow, and over an accepted answer', () => {
    expect(strictNegative.check(viewOf(treeOf('product', [{ reward: 0.2, end: true }])))).toBeUndefined();
    const accepted = treeOf('product', [{ reward: 0.9, end: true }, { reward: 0.2 }]);
    expect(strictNegative.check(viewOf(accepted))).toBeUndefined();
  });

  it('takes the lowest reward as the bound under minimum', () => {
    const shoots = [
      { reward: 0.2, end: true },
      { reward: 0.7, children: [{ reward: 0.8 }] },
    ];
    expect(strictNegative.check(viewOf(treeOf('minimum', shoots)))).toBeUndefined();
    expect(strictNegative.check(viewOf(treeOf('product', shoots)))?.kind).toBe('futile');
  });

  it('looks at nothing below a futile node, and stops at the first viable leaf', () => {
    const tree = treeOf('product', [{ reward: 0.1, children: [{ reward: 1 }, { reward: 1 }] }, { reward: 0.9 }]);
    const seen = watchScores(tree.nodes);
    expect(firstViable(tree, 0.65, 0)?.id).toBe(2);
    expect(seen()).toEqual([0, 2]);
  });
});

describe('selective negative', () => {
  const tree = () =>
    treeOf('product', [
      { reward: 0.8, children: [{ reward: 1 }] },
      { reward: 0.95, children: [{ reward: 0.5 }, { reward: 0.6, end: true }] },
    ]);

  it('leaves out branches that began below the cut', () => {
    expect(strictNegative.check(viewOf(tree()))).toBeUndefined();
    expect(selectiveNegative(0.4).check(viewOf(tree()))).toBeUndefined();
    expect(selectiveNegative(0.8).check(viewOf(tree()))).toEqual({
      kind: 'futile',
      rule: 'negative-selective',
      evidence: {
        leaves: 2,
        bestLeaf: 0.8,
        bestCompleted: 0.57,
        threshold: 0.65,
        firstDepthCut: 0.93,
        branchesLeftOut: 1,
      },
    });
  });

  it('judges a branch by its first reward, not by later ones', () => {
    const late = tree();
    growBelow(late, late.root.children[1]!, [{ reward: 0.7 }]);
    expect(selectiveNegative(0.8).check(viewOf(late))).toBeUndefined();
  });

  it('cuts above the threshold, wherever that lies', () => {
    expect(firstDepthCut(0.65, 0.7)).toBeCloseTo(0.895, 12);
    expect(firstDepthCut(0.9, 0.7)).toBeCloseTo(0.97, 12);
    expect(firstDepthCut(0.9, 0)).toBe(0);
    // A threshold of 0.9, a path of 0.93 that came down to 0.88, a viable one of 0.92, a branch of 0.98 that is futile.
    const high = treeOf('product', [
      { reward: 0.93, children: [{ reward: 0.95, end: true }] },
      { reward: 0.92 },
      { reward: 0.98, children: [{ reward: 0.9 }] },
    ]);
    expect(strictNegative.check(viewOf(high, { threshold: 0.9 }))).toBeUndefined();
    expect(selectiveNegative(0.7).check(viewOf(high, { threshold: 0.9 }))?.evidence).toMatchObject({
      firstDepthCut: 0.97,
      branchesLeftOut: 2,
    });
  });

  it('is the strict check where every branch would be left out', () => {
    const weak = treeOf('product', [{ reward: 0.8, children: [{ reward: 0.7, end: true }] }, { reward: 0.75 }]);
    expect(selectiveNegative(0.7).check(viewOf(weak))).toBeUndefined();
    growBelow(weak, weak.root.children[1]!, [{ reward: 0.8 }]);
    const exit = selectiveNegative(0.7).check(viewOf(weak));
    expect(exit).toMatchObject({ kind: 'futile', rule: 'negative-selective' });
    expect(exit?.evidence).not.toHaveProperty('branchesLeftOut');
  });
});

describe('aggregations', () => {
  it.each(['sum', 'mean', 'last'] as const)('the negative exits refuse %s and say why', (aggregation) => {
    const view = viewOf(treeOf(aggregation, [{ reward: 0.1 }]));
    for (const rule of [strictNegative, selectiveNegative(0.9)]) {
      expect(() => rule.check(view)).toThrow(FaultError);
      expect(() => rule.check(view)).toThrow(new RegExp(`bad-setting.*${rule.name}.*product.*minimum.*${aggregation}`));
    }
  });
});

describe('budgets', () => {
  const tree = treeOf('product', [
    { reward: 0.5, end: true, tokens: 30 },
    { reward: 0.4, tokens: 12 },
  ]);
  complete(tree, tree.node(1));
  tree.record({ type: 'closed', strand: openAt(tree, tree.node(2)), closing: 'pruned' });
  tree.record({ type: 'closed', strand: openAt(tree, tree.node(2)), closing: 'preempted' });
  tree.record({ type: 'closed', strand: openAt(tree, tree.node(2)), closing: 'failed' });

  it('counts completed and pruned rollouts, not preempted or failed ones', () => {
    expect(rolloutBudget.check(viewOf(tree, { rollouts: 3 }))).toBeUndefined();
    const exit = rolloutBudget.check(viewOf(tree, { rollouts: 2 }));
    expect(exit).toEqual({ kind: 'exhausted', rule: 'rollouts', evidence: { used: 2, limit: 2, pruned: 1 } });
  });

  it('counts tokens, where they are limited', () => {
    expect(tokenBudget.check(viewOf(tree))).toBeUndefined();
    expect(tokenBudget.check(viewOf(tree, { tokens: 43 }))).toBeUndefined();
    const exit = tokenBudget.check(viewOf(tree, { tokens: 42 }));
    expect(exit).toEqual({ kind: 'exhausted', rule: 'tokens', evidence: { used: 42, limit: 42 } });
  });

  it('counts nodes, where they are limited', () => {
    const by = (nodes: number | undefined) => nodeBudget.check(viewOf(tree, { nodes }));
    expect([by(undefined), by(tree.nodes.length + 1)]).toEqual([undefined, undefined]);
    const { length } = tree.nodes;
    expect(by(length)).toEqual({ kind: 'exhausted', rule: 'nodes', evidence: { nodes: length, limit: length } });
  });

  it('measures the deadline from arrival', () => {
    const view = { ...viewOf(tree, { deadlineMs: 150 }), arrivalMs: 1000, admittedMs: 1060 };
    expect(deadline.check({ ...view, nowMs: 1149 })).toBeUndefined();
    expect(deadline.check({ ...view, nowMs: 1150 })).toEqual({
      kind: 'deadline',
      rule: 'deadline',
      evidence: { waitedMs: 150, limitMs: 150 },
    });
  });
});

/** Which nodes had their score read, in order. */
function watchScores(nodes: readonly { id: number; score: number }[]): () => number[] {
  const seen: number[] = [];
  for (const node of nodes) {
    const { id, score } = node;
    const get = () => {
      seen.push(id);
      return score;
    };
    Object.defineProperty(node, 'score', { get });
  }
  return () => seen;
}
