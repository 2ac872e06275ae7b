// The fold under arbitrary events: those that fit keep every invariant, those that do not are refused whole.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FaultError } from '../../src/base/fault.ts';
import { aggregations, extendScore, isBound, rootScore } from '../../src/tree/aggregate.ts';
import { closings, type TreeEvent } from '../../src/tree/events.ts';
import { isExpanding, type Node, pathTo } from '../../src/tree/node.ts';
import { Tree } from '../../src/tree/tree.ts';
import { digestTree } from '../support/digest.ts';

const small = fc.nat({ max: 6 });
const reward = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(Number.NaN, -0.1, 1.5));
const growth = {
  parent: small,
  index: small,
  step: fc.record({
    text: fc.constantFrom('a', 'b', ''),
    tokens: fc.nat(9),
    meanLogprob: fc.constant(-1),
    end: fc.constantFrom('delimiter', 'eos', 'length'),
  }),
  reward,
  terminal: fc.boolean(),
};
const sampling = fc.constant({ temperature: 1 });

/** Ids are drawn near the ones that would fit, so that about half of the events do. */
function eventFor(next: { node: number; strand: number }, open: readonly [number, number][]): fc.Arbitrary<TreeEvent> {
  const nextNode = fc.constantFrom(next.node, next.node, 0);
  const nextStrand = fc.constantFrom(next.strand, next.strand, 0);
  const strand = fc.constantFrom(...open.map(([id]) => id), 99);
  const standing = fc.constantFrom(...open.map(([, node]) => node), 0);
  return fc.oneof(
    fc.record({ type: fc.constant('opened' as const), strand: nextStrand, node: small }),
    fc.record({
      type: fc.constant('asked' as const),
      strand,
      node: standing,
      indices: fc.uniqueArray(small),
      sampling,
    }),
    fc.record({ type: fc.constant('grown' as const), node: nextNode, ...growth }) as fc.Arbitrary<TreeEvent>,
    fc.record({ type: fc.constant('merged' as const), into: small, parent: small, index: small, tokens: small }),
    fc.record({
      type: fc.constant('withered' as const),
      parent: small,
      index: small,
      code: fc.constant('internal' as const),
    }),
    fc.record({ type: fc.constant('ghosted' as const), ...growth }) as fc.Arbitrary<TreeEvent>,
    fc.record({ type: fc.constant('moved' as const), strand, node: small }),
    fc.record({ type: fc.constant('closed' as const), strand, closing: fc.constantFrom(...closings) }),
  );
}

function recount(tree: Tree, node: Node) {
  const below = [...tree.strands.values()].filter((strand) => [tree.root, ...pathTo(strand.node)].includes(node));
  const leaves = (at: Node): number => {
    if (at.terminal || isExpanding(at)) return 0;
    return at.children.length === 0 ? 1 : at.children.reduce((sum, child) => sum + leaves(child), 0);
  };
  return { pending: below.length, available: leaves(node) };
}

function grownAtRandom(gen: fc.GeneratorValue, length: number): { tree: Tree; events: TreeEvent[] } {
  const events: TreeEvent[] = [];
  const tree = Tree.plant('product', (event) => events.push(event));
  for (let at = 0; at < length; at += 1) {
    const open = [...tree.strands.values()].map(({ id, node }): [number, number] => [id, node.id]);
    const event = gen(eventFor, { node: tree.nextNode, strand: tree.nextStrand }, open);
    const before = JSON.stringify(digestTree(tree));
    const known = events.length;
    try {
      tree.record(event);
    } catch (error) {
      expect(error).toBeInstanceOf(FaultError);
      expect(JSON.stringify(digestTree(tree))).toBe(before);
      expect(events.length).toBe(known);
    }
  }
  return { tree, events };
}

describe('a tree', () => {
  it('refuses what does not fit and is left as it was; what fits keeps the counters true', () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const { tree } = grownAtRandom(gen, 30);
        for (const node of tree.nodes) {
          expect({ pending: node.pending, available: node.available }).toEqual(recount(tree, node));
          expect(node.visits).toBeGreaterThanOrEqual(node.children.reduce((sum, child) => sum + child.visits, 0));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is the fold of its log', () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const { tree, events } = grownAtRandom(gen, 30);
        const read = JSON.parse(JSON.stringify(events)) as TreeEvent[];
        expect(digestTree(Tree.replay(read))).toEqual(digestTree(tree));
      }),
      { numRuns: 150 },
    );
  });

  it('cannot be its own ancestor', () => {
    const step = { text: 'a', tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;
    const tree = Tree.plant('product');
    const cyclic = { type: 'grown', node: 1, parent: 1, index: 0, step, reward: 1, terminal: false } as const;
    expect(() => tree.record(cyclic)).toThrow(/no node 1 in a tree of 1/);
    expect(() => Tree.replay([])).toThrow(/cannot be empty/);
    expect(() => Tree.replay([cyclic])).toThrow(/begins with 'planted'/);
  });
});

describe('aggregations', () => {
  const rewards = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });
  const fold = (aggregation: (typeof aggregations)[number], values: readonly number[]) =>
    values.reduce((score, value, at) => extendScore(aggregation, score, at + 1, value), rootScore(aggregation));

  it('are what their names say', () => {
    fc.assert(
      fc.property(rewards, (values) => {
        const sum = values.reduce((total, value) => total + value, 0);
        expect(fold('product', values)).toBeCloseTo(
          values.reduce((total, value) => total * value, 1),
          9,
        );
        expect(fold('minimum', values)).toBe(Math.min(...values));
        expect(fold('sum', values)).toBeCloseTo(sum, 9);
        expect(fold('mean', values)).toBeCloseTo(sum / values.length, 9);
        expect(fold('last', values)).toBe(values.at(-1));
      }),
    );
  });

  it('bound every continuation exactly where they say so', () => {
    fc.assert(
      fc.property(rewards, fc.double({ min: 0, max: 1, noNaN: true }), (values, next) => {
        for (const aggregation of aggregations.filter(isBound)) {
          expect(fold(aggregation, [...values, next])).toBeLessThanOrEqual(fold(aggregation, values));
        }
      }),
    );
  });
});
