// Advantages of a tree worked out by hand: the root has two children, the first with two leaves, the second is a leaf itself.

import { expect, it } from 'vitest';
import { plantedEvent, type TreeEvent } from '../../../core/src/tree/events.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { advantagesOf } from './advantages.ts';

const grown = (node: number, parent: number, index: number, ends: boolean): TreeEvent => ({
  type: 'grown',
  node,
  parent,
  key: node,
  index,
  step: { text: `${node}`, tokens: 1, meanLogprob: 0, end: ends ? 'eos' : 'delimiter' },
  terminal: ends,
});

const asked = (strand: number, node: number, indices: number[]): TreeEvent[] => [
  { type: 'opened', strand, node },
  { type: 'asked', strand, node, indices, sampling: { temperature: 1 } },
];

function small(...more: TreeEvent[]): Tree {
  return Tree.replay([
    plantedEvent('product', 64),
    ...asked(0, 0, [0, 1, 2]),
    grown(1, 0, 0, false),
    grown(2, 0, 1, true),
    ...asked(1, 1, [0, 1]),
    grown(3, 1, 0, true),
    grown(4, 1, 1, true),
    ...more,
  ]);
}

it('compares a node with its siblings, its tree and its group', () => {
  const right = new Map([
    [2, 0],
    [3, 1],
    [4, 0],
  ]);
  const found = advantagesOf(small().nodes, ({ id }) => right.get(id));
  expect(found.get(0)).toMatchObject({ value: 1 / 3, leaves: 3, bySiblings: undefined, byTree: undefined });
  // Values 1/2 and 0: mean 1/4, deviation 1/4.
  expect(found.get(1)).toMatchObject({
    value: 1 / 2,
    leaves: 2,
    bySiblings: 1,
    outcome: undefined,
    byGroup: undefined,
  });
  expect(found.get(1)!.byTree).toBeCloseTo((1 / 6 + 1 / 6) / Math.sqrt(2), 12);
  expect(found.get(2)).toMatchObject({ value: 0, bySiblings: -1 });
  // Values 1 and 0, below a parent of 1/2; in the group 1, 0, 0.
  expect(found.get(3)!.bySiblings).toBe(1);
  expect(found.get(3)!.byTree).toBeCloseTo(2 / 3 + 1 / 2, 12);
  expect(found.get(3)!.byGroup).toBeCloseTo(Math.SQRT2, 12);
  expect(found.get(4)!.byGroup).toBeCloseTo(-Math.SQRT1_2, 12);
});

it('counts a leaf as often as it was drawn', () => {
  const tree = small({ type: 'merged', into: 2, parent: 0, index: 2, tokens: 1 });
  const found = advantagesOf(tree.nodes, ({ id }) => (id === 3 ? 1 : 0));
  expect(found.get(0)).toMatchObject({ value: 1 / 4, leaves: 4 });
  // 1/2, 0, 0: mean 1/6, deviation √2/6.
  expect(found.get(1)!.bySiblings).toBeCloseTo(Math.SQRT2, 12);
});

it('is 0 if all outcomes are equal, and missing if none is known', () => {
  const alike = advantagesOf(small().nodes, () => 1);
  expect([...alike.values()].slice(1).map(({ bySiblings }) => bySiblings)).toEqual([0, 0, 0, 0]);
  const unknown = advantagesOf(small().nodes, () => undefined);
  expect(unknown.get(1)).toEqual({
    outcome: undefined,
    value: undefined,
    leaves: 0,
    bySiblings: undefined,
    byTree: undefined,
    byGroup: undefined,
  });
});
