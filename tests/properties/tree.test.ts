// The fold under arbitrary events: those that fit keep every invariant, those that do not are refused whole.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FaultError } from '../../packages/core/src/base/fault.ts';
import { digestTree } from '../../packages/core/src/testing/program/digest.ts';
import { type Expansions, readExpansions } from '../../packages/core/src/testing/program/expansions.ts';
import { aggregations, extendScore, isBound, rootScore } from '../../packages/core/src/tree/aggregate.ts';
import { closings, type TreeEvent } from '../../packages/core/src/tree/events.ts';
import { formKey } from '../../packages/core/src/tree/keys.ts';
import { isExpanding, type Node, pathTo } from '../../packages/core/src/tree/node.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { anyMoves, play } from '../support/random-tree.ts';

const small = fc.nat({ max: 6 });
const reward = fc.oneof(
  { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 4 },
  { arbitrary: fc.constantFrom(Number.NaN, -0.1, 1.5), weight: 1 },
);
const brought = {
  key: fc.oneof(fc.maxSafeNat(), fc.nat(9)),
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

interface Near {
  readonly node: number;
  readonly strand: number;
  /** Open strands and where they stand. */
  readonly open: readonly [number, number][];
  /** Parent and index of the children in flight. */
  readonly flights: readonly [number, number][];
  /** Of nodes and ghosts. */
  readonly keys: readonly number[];
}

function near(tree: Tree): Near {
  const open = [...tree.strands.values()].map(({ id, node }): [number, number] => [id, node.id]);
  const flights = tree.nodes.flatMap((node) =>
    [...(node.inFlight?.keys() ?? [])].map((index): [number, number] => [node.id, index]),
  );
  const keys = [...tree.nodes, ...tree.ghosts.values()].map(({ key }) => key);
  return { node: tree.nextNode, strand: tree.nextStrand, open, flights, keys };
}

/** Ids are drawn near the ones that would fit, so that many of the events do. */
function eventFor({ open, flights, keys, ...next }: Near): fc.Arbitrary<TreeEvent> {
  const mostly = <Value>(fitting: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
    fc.oneof({ arbitrary: fitting, weight: 4 }, { arbitrary: other, weight: 1 });
  const nextNode = mostly(fc.constant(next.node), fc.constant(0));
  const nextStrand = mostly(fc.constant(next.strand), fc.constant(0));
  const known = mostly(fc.nat({ max: next.node - 1 }), small);
  const standing = fc.constantFrom(...open, [99, 0] as [number, number]);
  const strand = standing.map(([id]) => id);
  const key = mostly(fc.constantFrom(...flights, [0, 0] as [number, number]), fc.tuple(small, small));
  const keyed = <Rest extends object>(rest: fc.Arbitrary<Rest>) =>
    fc.tuple(key, rest).map(([[parent, index], about]) => ({ ...about, parent, index }));
  const grown = fc.record({ type: fc.constant('grown' as const), node: nextNode, ...brought });
  const parentKey = mostly(fc.constantFrom(...keys), small);
  const place = { parentKey, index: small, form: fc.constantFrom(0, formKey({ temperature: 1 })) };
  const ghosted = fc.record({ type: fc.constant('ghosted' as const), ...brought, ...place });
  const asked = fc.record({ type: fc.constant('asked' as const), indices: fc.uniqueArray(small), sampling });
  return fc.oneof(
    fc.record({ type: fc.constant('opened' as const), strand: nextStrand, node: known }),
    fc.tuple(standing, asked).map(([[id, node], about]) => ({ ...about, strand: id, node })),
    { arbitrary: keyed(grown) as fc.Arbitrary<TreeEvent>, weight: 3 },
    keyed(fc.record({ type: fc.constant('merged' as const), into: known, tokens: small })),
    keyed(fc.record({ type: fc.constant('withered' as const), code: fc.constant('internal' as const) })),
    keyed(fc.record({ type: fc.constant('adopted' as const), node: nextNode })),
    ghosted as fc.Arbitrary<TreeEvent>,
    fc.record({ type: fc.constant('moved' as const), strand, node: known }),
    fc.record({ type: fc.constant('closed' as const), strand, closing: fc.constantFrom(...closings) }),
  );
}

function recount(tree: Tree, node: Node, cut: ReadonlySet<number>) {
  const below = [...tree.strands.values()].filter((strand) => [tree.root, ...pathTo(strand.node)].includes(node));
  const leaves = (at: Node): number => {
    if (at.terminal || isExpanding(at)) return 0;
    if (at.children.length === 0 || cut.has(at.id)) return 1;
    return at.children.reduce((sum, child) => sum + leaves(child), 0);
  };
  return { pending: below.length, available: leaves(node), cut: cut.has(node.id) };
}

function mustBeTrue(tree: Tree, expansions: Expansions): void {
  for (const node of tree.nodes) {
    const { pending, available, cut } = node;
    expect({ pending, available, cut }).toEqual(recount(tree, node, expansions.cut));
    expect(node.visits).toBeGreaterThanOrEqual(node.children.reduce((sum, child) => sum + child.visits, 0));
  }
}

function grownAtRandom(gen: fc.GeneratorValue, length: number): { tree: Tree; events: TreeEvent[] } {
  const events: TreeEvent[] = [];
  const tree = Tree.plant('product', (event) => events.push(event));
  for (let at = 0; at < length; at += 1) {
    const event = gen(eventFor, near(tree));
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
        const { tree, events } = grownAtRandom(gen, 30);
        mustBeTrue(tree, readExpansions(events));
      }),
      { numRuns: 150 },
    );
  });

  it('keeps the counters true where expansions fail, stay in flight, are cut and are asked for again', () => {
    let halved = 0;
    fc.assert(
      fc.property(anyMoves(20), (moves) => {
        const events: TreeEvent[] = [];
        const tree = Tree.plant('product', (event) => events.push(event));
        play(tree, moves);
        const expansions = readExpansions(events);
        mustBeTrue(tree, expansions);
        expect(digestTree(Tree.replay(events))).toEqual(digestTree(tree));
        halved += expansions.halved;
      }),
      { numRuns: 1000 },
    );
    expect(halved).toBeGreaterThan(100);
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
    const cyclic = { type: 'grown', node: 1, key: 1, parent: 1, index: 0, step, reward: 1, terminal: false } as const;
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
