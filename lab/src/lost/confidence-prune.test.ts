// Hand-worked cases of pruning by group confidence.

import { pruningsOf } from '@coppice/core/exit';
import { Tree } from '@coppice/core/tree';
import { describe, expect, it } from 'vitest';
import { openAt, viewOf } from '../../../tests/support/trees.ts';
import { groupConfidence, pruneConfidence } from './confidence-prune.ts';

describe('group confidence', () => {
  /** Paths of steps of 10 tokens with these mean log probabilities; the last is open, those of `order` have ended, in this order. */
  function sampled(paths: readonly (readonly number[])[], order = [...paths.keys()].slice(0, -1)) {
    const tree = Tree.plant('product');
    const node = tree.root;
    for (const at of [...order, paths.length - 1]) {
      const path = paths[at]!;
      let below = node;
      for (const [depth, meanLogprob] of path.entries()) {
        const ends = at < paths.length - 1 && depth === path.length - 1;
        const strand = openAt(tree, below);
        const index = depth === 0 ? at : 0;
        tree.record({ type: 'asked', strand, node: below.id, indices: [index], sampling: { temperature: 1 } });
        const step = { text: `${at}/${depth}`, tokens: 10, meanLogprob, end: ends ? 'eos' : 'delimiter' } as const;
        const [id, key] = [tree.nextNode, tree.nextNode];
        tree.record({ type: 'grown', node: id, key, parent: below.id, index, step, terminal: ends });
        below = tree.node(id);
        tree.record({ type: 'moved', strand, node: id });
        if (at < paths.length - 1 || depth < path.length - 1) {
          tree.record({ type: 'closed', strand, closing: ends ? 'completed' : 'ended' });
        }
      }
    }
    return tree;
  }
  const rule = (confidencePrune: number) =>
    pruneConfidence({ confidencePrune, confidenceWindow: 20, confidenceWarmup: 2 });

  it('ends a sample that is less sure over a window than so many of the first were at their worst', () => {
    // Windows of two steps. At their worst the first was at -0.4, the second at -0.7; the third is at -0.5 now.
    const tree = sampled([
      [-0.2, -0.4, -0.4],
      [-0.6, -0.8, -0.1],
      [-0.1, -0.4, -0.6],
    ]);
    expect(pruningsOf(rule(0.5), viewOf(tree))).toEqual([]);
    expect(pruningsOf(rule(1), viewOf(tree))).toMatchObject([{ evidence: { confidence: -0.5, bound: -0.4 } }]);
  });

  it('is warmed up by the first samples, not by the first to end', () => {
    const order = [1, 2, 0];
    const paths = [
      [-0.1, -0.1],
      [-0.9, -0.9],
      [-0.9, -0.9],
      [-0.5, -0.5],
    ];
    // Samples 1 and 2 ended first, and were less sure than the one that is open; sample 0 was surer.
    const [half, whole] = [sampled(paths, order.slice(0, 2)), sampled(paths, order)];
    expect(pruningsOf(rule(1), viewOf(half))).toEqual([]);
    expect(pruningsOf(rule(1), viewOf(whole))).toMatchObject([{ evidence: { confidence: -0.5, bound: -0.1 } }]);
  });

  it('waits for its warm-up, and for a window of tokens', () => {
    expect(
      pruningsOf(
        rule(1),
        viewOf(
          sampled([
            [-0.1, -0.1],
            [-5, -5],
          ]),
        ),
      ),
    ).toEqual([]);
    const short = sampled([[-0.1, -0.1], [-0.1, -0.1], [-5]]);
    expect(pruningsOf(rule(1), viewOf(short))).toEqual([]);
    expect(groupConfidence(short.nodes.at(-1)!, 20)).toBeUndefined();
  });
});
