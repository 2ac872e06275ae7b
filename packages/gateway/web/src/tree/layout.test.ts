import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMoves, play } from '../../../../../tests/support/random-tree.ts';
import { recordSearch } from '../../../../../tests/support/recorded.ts';
import { Replay } from '../../../../core/src/log/replay.ts';
import { Tree } from '../../../../core/src/tree/tree.ts';
import { layOut } from './layout.ts';
import { type Sprout, sproutsOf } from './sprout.ts';

function laidOut(tree: Tree): Sprout[] {
  const sprouts = sproutsOf(tree);
  layOut(sprouts);
  return sprouts;
}

const anyTree = anyMoves(60).map((moves) => {
  const tree = Tree.plant('product');
  play(tree, moves);
  return tree;
});

describe('the layout', () => {
  it('draws every node, ghost and child in flight once, parents first', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const sprouts = sproutsOf(tree);
        const flights = tree.nodes.reduce((sum, { inFlight }) => sum + (inFlight?.size ?? 0), 0);
        expect(sprouts).toHaveLength(tree.nodes.length + flights + tree.ghosts.size);
        expect(new Set(sprouts.map(({ key }) => key)).size).toBe(sprouts.length);
        const seen = new Set<Sprout | undefined>([undefined]);
        for (const sprout of sprouts) {
          expect(seen.has(sprout.parent)).toBe(true);
          seen.add(sprout);
        }
      }),
    );
  });

  it('draws a speculative child once while the program asks for it', () => {
    const log = recordSearch({ id: 'a', seed: 5, rollouts: 8, threshold: 1 });
    const replay = new Replay(log);
    let both = 0;
    for (let count = 2; count <= log.length; count += 1) {
      const { tree } = replay.seek(count);
      const keys = sproutsOf(tree!).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { parentKey, index } of tree!.ghosts.values()) {
        if (tree!.nodeOf(parentKey)?.inFlight?.has(index)) both += 1;
      }
    }
    expect(both).toBeGreaterThan(0);
  });

  it('keeps neighbours apart and in order, and parents in the middle', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const sprouts = laidOut(tree);
        for (const row of Map.groupBy(sprouts, ({ depth }) => depth).values()) {
          for (let at = 1; at < row.length; at += 1) expect(row[at]!.x - row[at - 1]!.x).toBeGreaterThan(1 - 1e-9);
        }
        for (const { x, children } of sprouts) {
          if (children.length > 0) expect(x).toBeCloseTo((children[0]!.x + children.at(-1)!.x) / 2, 6);
        }
      }),
    );
  });

  it('knows its own extent', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const sprouts = sproutsOf(tree);
        const extent = layOut(sprouts);
        expect(extent.minX).toBeCloseTo(Math.min(...sprouts.map(({ x }) => x)), 6);
        expect(extent.maxX).toBeCloseTo(Math.max(...sprouts.map(({ x }) => x)), 6);
        expect(extent.levels).toBe(Math.max(...sprouts.map(({ depth }) => depth)) + 1);
      }),
    );
  });
});
