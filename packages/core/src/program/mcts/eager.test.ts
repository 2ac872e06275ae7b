// Eager continuation: a rollout goes on with the best of the first siblings, and the others join the tree when they come.

import { expect, it } from 'vitest';
import { fault } from '../../base/fault.ts';
import { digestTree } from '../../testing/program/digest.ts';
import type { TreeEvent } from '../../tree/events.ts';
import { formKey } from '../../tree/keys.ts';
import { Tree } from '../../tree/tree.ts';
import type { Ask } from '../program.ts';
import { createMcts } from './mcts.ts';

const program = createMcts({ rollouts: 4, branching: 4, eager: 0.8 });

function begun() {
  const events: TreeEvent[] = [{ type: 'planted', aggregation: 'product' }];
  const tree = Tree.replay(events, (event) => events.push(event));
  return { tree, events, ask: program.ask(tree, true)! };
}

function land(tree: Tree, { node, sampling }: Ask, index: number, reward: number, end = false): boolean {
  const step = { text: `${node.id}/${index}`, tokens: 1, meanLogprob: 0, end: end ? 'eos' : 'delimiter' } as const;
  return program.tell(tree, { ok: true, node: node.id, index, form: formKey(sampling), step, reward });
}

function standsAt(tree: Tree): string | undefined {
  return [...tree.strands.values()][0]?.node.step?.text;
}

it('waits for two, and for one that is good enough', () => {
  const { tree, ask } = begun();
  expect(land(tree, ask, 0, 0.95)).toBe(false);
  expect(land(tree, ask, 1, 0.7)).toBe(true);
  expect(standsAt(tree)).toBe('0/0');
  const other = begun();
  for (const [index, reward] of [0.5, 0.7, 0.75].entries())
    expect(land(other.tree, other.ask, index, reward)).toBe(false);
  expect(land(other.tree, other.ask, 3, 0.6)).toBe(true);
  expect(standsAt(other.tree)).toBe('0/2');
  expect(other.tree.stragglers.size).toBe(0);
});

it('takes the same child in whatever order they arrive', () => {
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
  ]) {
    const { tree, ask } = begun();
    for (const index of order) land(tree, ask, index, [0.5, 0.85, 0.9, 0.99][index]!);
    expect(standsAt(tree)).toBe('0/1');
    expect(tree.root.children).toHaveLength(4);
  }
});

it('opens nothing below a node whose children are still on their way, and ends only when they have come', () => {
  const { tree, ask } = begun();
  land(tree, ask, 0, 0.9);
  land(tree, ask, 1, 0.85, true);
  expect(tree.strands.size).toBe(1);
  const below = program.ask(tree, true)!;
  expect(below.node.parent).toBe(tree.root);
  expect(program.ask(tree, true)).toBeUndefined();
  expect(tree.root.available).toBe(0);
  expect(land(tree, ask, 2, 0.3)).toBe(false);
  expect(land(tree, ask, 3, 0.2)).toBe(true);
  expect(tree.stragglers.size).toBe(0);
  // The two leaves that came late, beside the one that is being expanded.
  expect(tree.root.available).toBe(2);
  expect(program.ask(tree, true)?.node.parent).toBe(tree.root);
});

it('accepts a path that a straggler has finished, once all of them have come', () => {
  const { tree, ask } = begun();
  land(tree, ask, 0, 0.81);
  land(tree, ask, 1, 0.3);
  land(tree, ask, 3, 0.99, true);
  expect(tree.best).toBeUndefined();
  expect(program.tell(tree, { ok: false, node: 0, index: 2, fault: fault('internal', 'lost') })).toBe(true);
  expect(tree.best?.step?.text).toBe('0/3');
});

it('is the same tree when it is read back, in the middle and after its strand has gone', () => {
  const { tree, events, ask } = begun();
  land(tree, ask, 0, 0.9);
  land(tree, ask, 1, 0.4);
  const [strand] = tree.strands.keys();
  tree.record({ type: 'closed', strand: strand!, closing: 'pruned' });
  const again = Tree.replay([...events]);
  expect(digestTree(again)).toEqual(digestTree(tree));
  expect([...again.stragglers.keys()]).toEqual([0]);
  land(again, ask, 2, 0.5);
  expect(land(again, ask, 3, 0.5)).toBe(true);
  expect(again.root.children).toHaveLength(4);
  expect(again.stragglers.size).toBe(0);
});
