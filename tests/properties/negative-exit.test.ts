// The proof of the strict negative exit (P0 §3.4), by search for a counter-example: over random trees with children in
// flight, failed, given up and cut short, it fires exactly when no continuation can reach the threshold.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstDepthCut, selectiveNegative, strictNegative } from '../../packages/core/src/exit/negative.ts';
import { readExpansions } from '../../packages/core/src/testing/program/expansions.ts';
import { type Aggregation, extendScore } from '../../packages/core/src/tree/aggregate.ts';
import type { TreeEvent } from '../../packages/core/src/tree/events.ts';
import type { Node } from '../../packages/core/src/tree/node.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { anyMoves, type Move, play } from '../support/random-tree.ts';
import { viewOf } from '../support/trees.ts';

const anyAggregation = fc.constantFrom<Aggregation>('product', 'minimum');
const anyThreshold = fc.oneof(fc.constantFrom(0.3, 0.5, 0.65, 0.9, 1), fc.double({ min: 0.01, max: 1, noNaN: true }));

describe('the strict negative exit', () => {
  it('never fires while a continuation could reach the threshold, and always once none can', () => {
    let fired = 0;
    let heldByCut = 0;
    fc.assert(
      fc.property(anyAggregation, anyThreshold, anyMoves(14), (aggregation, threshold, moves) => {
        const { tree, growing, cut } = grown(aggregation, moves);
        fc.pre(tree.best !== undefined && tree.best.score < threshold);
        const reaching = growing.filter(({ score, depth }) => canReach(aggregation, score, depth, threshold, 3));
        const fires = strictNegative.check(viewOf(tree, { threshold })) !== undefined;
        if (fires) fired += 1;
        if (reaching.length > 0 && reaching.every(cut)) heldByCut += 1;
        expect(fires).toBe(reaching.length === 0 && growing.length > 0);
      }),
      { numRuns: 2000 },
    );
    // The property says nothing if the rule never fires, nor about cut expansions if they never are what holds it back.
    expect(fired).toBeGreaterThan(100);
    expect(heldByCut).toBeGreaterThan(20);
  });

  it('is right about the future: whatever is grown after it fired stays below the threshold', () => {
    let fired = 0;
    const hopeful = fc.array(fc.constantFrom(1, 1, 0.99, 0.5), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        anyAggregation,
        anyThreshold,
        anyMoves(14),
        fc.array(hopeful),
        (aggregation, threshold, moves, more) => {
          const log: TreeEvent[] = [];
          const tree = Tree.plant(aggregation, (event) => log.push(event));
          play(tree, moves);
          const view = viewOf(tree, { threshold });
          fc.pre(strictNegative.check(view) !== undefined);
          fired += 1;
          const later = Tree.replay(log);
          const child = (reward: number, at: number) => ({ fate: at === 1 ? 'lands' : 'ends', reward }) as const;
          play(
            later,
            more.flatMap((rewards, pick) => {
              const children = rewards.map(child);
              return [
                { kind: 'settle', pick, children },
                { kind: 'expand', pick, children },
              ] as const;
            }),
          );
          expect(later.best!.score).toBeLessThan(threshold);
        },
      ),
      { numRuns: 200 },
    );
    expect(fired).toBe(200);
  });
});

describe('the selective negative exit', () => {
  it('fires whenever the strict one does, and with a cut of 0 only then', () => {
    fc.assert(
      fc.property(anyThreshold, fc.double({ min: 0, max: 1, noNaN: true }), anyMoves(14), (threshold, cut, moves) => {
        const tree = Tree.plant('product');
        play(tree, moves);
        const view = viewOf(tree, { threshold });
        const strict = strictNegative.check(view) !== undefined;
        if (strict) expect(selectiveNegative(cut).check(view)).toBeDefined();
        expect(selectiveNegative(0).check(view) !== undefined).toBe(strict);
      }),
      { numRuns: 500 },
    );
  });

  it('looks only at branches that began at or above the cut, and at all of them where none did', () => {
    fc.assert(
      fc.property(anyThreshold, fc.double({ min: 0, max: 1, noNaN: true }), anyMoves(14), (threshold, share, moves) => {
        const { tree, growing } = grown('product', moves);
        fc.pre(tree.best !== undefined && tree.best.score < threshold && growing.length > 0);
        const cut = firstDepthCut(threshold, share);
        const none = tree.root.children.every((node) => firstReward(node) < cut);
        const counted = growing.filter((node) => none || !(firstReward(node) < cut));
        const viable = counted.some(({ score }) => score >= threshold);
        expect(selectiveNegative(share).check(viewOf(tree, { threshold })) === undefined).toBe(viable);
      }),
      { numRuns: 500 },
    );
  });
});

/**
 * A tree and its leaves, said anew without the tree's own idea of them: no path ends here, and a child is on its way, or
 * none has come, or the log says that some were preempted and not asked for again. `cut`: a leaf for the last reason alone.
 */
function grown(aggregation: Aggregation, moves: readonly Move[]) {
  const log: TreeEvent[] = [];
  const tree = Tree.plant(aggregation, (event) => log.push(event));
  play(tree, moves);
  const { cut: cutShort } = readExpansions(log);
  const onItsWay = (node: Node) => [...(node.inFlight?.keys() ?? [])].length > 0;
  const cut = (node: Node) => cutShort.has(node.id) && node.children.length > 0 && !onItsWay(node);
  const growing = tree.nodes.filter(
    (node) => !node.terminal && (onItsWay(node) || node.children.length === 0 || cut(node)),
  );
  return { tree, growing, cut };
}

/** Tries every continuation of up to `steps` steps with rewards on a grid that includes the highest. */
function canReach(aggregation: Aggregation, score: number, depth: number, threshold: number, steps: number): boolean {
  return [0, 0.3, 0.9, 1].some((reward) => {
    const next = extendScore(aggregation, score, depth + 1, reward);
    return next >= threshold || (steps > 1 && canReach(aggregation, next, depth + 1, threshold, steps - 1));
  });
}

function firstReward(node: Node): number {
  let at = node;
  while (at.parent !== undefined && at.depth > 1) at = at.parent;
  return at.reward ?? 1;
}
