import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serialMcts, type TextbookNode } from '../../../../../tests/support/serial-mcts.ts';
import { fault } from '../../base/fault.ts';
import { Random } from '../../base/random.ts';
import { digestTree } from '../../testing/program/digest.ts';
import type { TreeEvent } from '../../tree/events.ts';
import { byKey, formKey, nodeKey, rootKey } from '../../tree/keys.ts';
import type { Node } from '../../tree/node.ts';
import { Tree } from '../../tree/tree.ts';
import type { Ask } from '../program.ts';
import { createMcts, mctsDefaults } from './mcts.ts';
import { puct, selectLeaf, siblingPriors, uct } from './wu-puct.ts';

interface Child {
  readonly reward: number;
  readonly meanLogprob?: number;
  readonly end?: boolean;
}

function stepOf(index: number, end = false) {
  return { text: `${index}${end ? '' : '\n'}`, tokens: 1, meanLogprob: 0, end: end ? 'eos' : 'delimiter' } as const;
}

function childAt(node: Node, index: number): Node {
  return node.byIndex!.get(index)!;
}

function answer(
  tree: Tree,
  ask: Ask,
  children: readonly Child[],
  program = createMcts(),
  indices: readonly number[] = ask.indices,
): void {
  for (const index of indices) {
    const { reward, meanLogprob = 0, end } = children[index]!;
    const step = { ...stepOf(index, end), meanLogprob };
    program.tell(tree, { ok: true, node: ask.node.id, index, form: formKey(ask.sampling), step, reward });
  }
}

describe('selection', () => {
  it('is WU-PUCT as in P0 §4.2', () => {
    // Q + c P √Ñ(s) / (1 + Ñ(s, a)) = 0.5 + 2 · 0.25 · √9 / (1 + 2) = 1
    expect(puct(0.5, 0.25, 9, 2, 2)).toBe(1);
  });

  it('tries with UCT first what has no visit', () => {
    expect(uct(0, 5, 0, 1)).toBe(Number.MAX_VALUE);
    expect(uct(0.5, Math.E ** 2, 4, 1)).toBeCloseTo(1.5, 12);
  });

  it('takes the prior from the log probabilities of the siblings', () => {
    const tree = Tree.plant('product');
    answer(tree, createMcts({ branching: 2 }).ask(tree, true)!, [
      { reward: 1, meanLogprob: Math.log(0.75) },
      { reward: 0.5, meanLogprob: Math.log(0.25) },
    ]);
    const priors = siblingPriors(tree.root.children, 'logprob');
    expect(priors[tree.root.children.indexOf(childAt(tree.root, 0))]).toBeCloseTo(0.75, 12);
    expect(priors[tree.root.children.indexOf(childAt(tree.root, 1))]).toBeCloseTo(0.25, 12);
  });
});

describe('the Q of a child that no rollout has completed', () => {
  /** A rollout of score 0.81 through child 0 (0.9); child 1 (0.6) is untried. Equal priors, Ñ(root) = 1. */
  function afterOne() {
    const program = createMcts({ branching: 2 });
    const tree = Tree.plant('product');
    answer(tree, program.ask(tree, true)!, [{ reward: 0.9 }, { reward: 0.6 }], program);
    answer(tree, program.ask(tree, false)!, [{ reward: 0.9, end: true }, { reward: 0.5 }], program);
    return tree;
  }
  const chosen = (exploration: number) =>
    selectLeaf(afterOne().root, { selection: 'puct', prior: 'logprob', exploration })?.score;

  it('is nothing, and decides between the branch that has shown something and the one that has not', () => {
    // Child 0: Q = 0.81, U = c/4. Child 1: U = c/2 and Q = 0.
    expect(chosen(1)).toBe(0.45);
    expect(chosen(3.3)).toBe(0.6);
  });
});

describe('a leaf on which a strand would be ended at once', () => {
  it('is not taken up, nor foreseen, nor is a branch entered that has no other', () => {
    const program = createMcts({ rollouts: 8, branching: 2 });
    const tree = Tree.plant('product');
    answer(tree, program.ask(tree, true)!, [{ reward: 0.9 }, { reward: 0.8 }], program);
    answer(tree, program.ask(tree, false)!, [{ reward: 0.5, end: true }, { reward: 0.4 }], program);
    const weak = (node: Node) => node.score <= 0.45;
    expect(selectLeaf(tree.root, mctsDefaults)?.score).toBeCloseTo(0.36, 12);
    expect(selectLeaf(tree.root, mctsDefaults, { doomed: weak })?.score).toBe(0.8);
    expect(program.foresee(tree, 8, weak).map(({ node }) => node.score)).toEqual([0.8]);
    expect(program.ask(tree, true, () => true)).toBeUndefined();
    expect(program.ask(tree, true, weak)?.node.score).toBe(0.8);
    expect(program.ask(tree, true, weak)).toBeUndefined();
  });
});

describe('a rollout', () => {
  it('expands, follows the highest reward to a terminal node and backs the product up', () => {
    const program = createMcts({ rollouts: 2, branching: 2 });
    const tree = Tree.plant('product');
    answer(tree, program.ask(tree, true)!, [{ reward: 0.5 }, { reward: 0.8 }], program);
    const second = program.ask(tree, false)!;
    expect(second.node.reward).toBe(0.8);
    answer(tree, second, [{ reward: 0.5, end: true }, { reward: 0.25 }], program);
    expect(tree.closed.completed).toBe(1);
    const [low, high] = [childAt(tree.root, 0), childAt(tree.root, 1)];
    expect([tree.root.visits, high.visits, low.visits]).toEqual([1, 1, 0]);
    expect(tree.root.value).toBe(0.4);
    expect(program.answer(tree)).toMatchObject({ score: 0.4, text: '1\n0', complete: true });
    // The next one: Q(low) = 0 and U = 0.5 √1 / 1; Q(high) = 0.4 and U = 0.5 √1 / 2: back into the one that has shown something.
    expect(selectLeaf(tree.root, mctsDefaults)).toBe(childAt(high, 1));
  });

  it('sends parallel rollouts apart and waits while every leaf is taken', () => {
    const program = createMcts({ rollouts: 8, branching: 2 });
    const tree = Tree.plant('product');
    const root = program.ask(tree, true)!;
    expect(program.ask(tree, true)).toBeUndefined();
    answer(tree, root, [{ reward: 0.9 }, { reward: 0.8 }], program);
    const first = program.ask(tree, true)!;
    const second = program.ask(tree, true)!;
    expect(new Set([first.node.index, second.node.index])).toEqual(new Set([0, 1]));
    expect(tree.root.pending).toBe(2);
    expect(program.ask(tree, true)).toBeUndefined();
  });

  it('counts a rollout in flight as a visit without a result yet', () => {
    const program = createMcts({ rollouts: 8, branching: 2, exploration: 4 });
    const tree = Tree.plant('product');
    answer(tree, program.ask(tree, true)!, [{ reward: 0.9 }, { reward: 0.8 }], program);
    answer(tree, program.ask(tree, false)!, [{ reward: 0.9 }, { reward: 0.7, end: true }], program);
    answer(tree, program.ask(tree, false)!, [{ reward: 0.5, end: true }, { reward: 0.4 }], program);
    // One rollout is complete through child 0. A second is sent to the untried child 1 (U = 2 there, Q + U = 1.4
    // here); while it is out, Ñ of both children is 1, and child 0 is ahead by its Q: without O it would be child 1 again.
    const second = program.ask(tree, true)!;
    expect(second.node.index).toBe(1);
    expect([0, 1].map((index) => [childAt(tree.root, index).visits, childAt(tree.root, index).pending])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(program.ask(tree, true)!.node.parent?.index).toBe(0);
  });

  it('asks again for what was preempted, under the same keys', () => {
    const program = createMcts({ branching: 3 });
    const tree = Tree.plant('product');
    const ask = program.ask(tree, true)!;
    tree.record({ type: 'closed', strand: ask.strand, closing: 'preempted' });
    const again = program.ask(tree, true)!;
    expect([again.node, again.indices]).toEqual([ask.node, ask.indices]);
    expect(tree.root.pending).toBe(1);
  });
});

describe('an expansion that was preempted', () => {
  const steps = [{ reward: 0.5 }, { reward: 0.9 }, { reward: 0.7 }, { reward: 0.6 }];

  /** The first of two leaves below the root is being expanded, child 1 has landed, three are in flight: preempted. */
  function preempted(landed: readonly number[] = [1]) {
    const program = createMcts({ rollouts: 8, branching: 4 });
    const log: TreeEvent[] = [];
    const tree = Tree.plant('product', (event) => log.push(event));
    const below = [{ reward: 0.9 }, { reward: 0.2, end: true }, { reward: 0.3, end: true }, { reward: 0.1, end: true }];
    answer(tree, program.ask(tree, true)!, below, program);
    const ask = program.ask(tree, false)!;
    answer(tree, ask, steps, program, landed);
    tree.record({ type: 'closed', strand: ask.strand, closing: 'preempted' });
    return { program, tree, log, node: ask.node };
  }

  it('is completed by the next visit, which asks for the missing children alone and goes on from all of them', () => {
    const { program, tree, node } = preempted();
    expect(node).toMatchObject({ cut: true, available: 1, pending: 0 });
    expect(tree.root.available).toBe(1);
    expect(selectLeaf(tree.root, mctsDefaults)).toBe(node);
    expect(program.foresee(tree, 3)).toMatchObject([{ node: { id: node.id }, indices: [0, 2, 3] }]);
    const again = program.ask(tree, true)!;
    expect([again.node, again.indices]).toEqual([node, [0, 2, 3]]);
    expect(node).toMatchObject({ cut: false, available: 0, pending: 1 });
    // The one that landed before leads so far, and in the end.
    expect(program.foresee(tree, 3).map((each) => each.node.reward)).toEqual([0.9]);
    answer(tree, again, steps, program);
    const next = program.ask(tree, false)!;
    expect([next.strand, next.node.parent, next.node.index]).toEqual([again.strand, node, 1]);
    expect(node.children.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3]);
  });

  it('goes on with the children it has when the missing ones fail, and is not asked for again', () => {
    const { program, tree, node } = preempted();
    const again = program.ask(tree, true)!;
    for (const index of again.indices) {
      program.tell(tree, { ok: false, node: node.id, index, fault: fault('internal', 'test') });
    }
    expect(tree.closed.failed).toBe(0);
    expect(program.ask(tree, false)!.node).toBe(node.children[0]);
    expect(node).toMatchObject({ cut: false, available: 0 });
  });

  it('gives a child that failed before the cut another try along with the missing ones', () => {
    const { program, tree, node } = preempted([]);
    const again = program.ask(tree, true)!;
    program.tell(tree, { ok: false, node: node.id, index: 3, fault: fault('internal', 'test') });
    answer(tree, again, steps, program, [0]);
    tree.record({ type: 'closed', strand: again.strand, closing: 'preempted' });
    expect(program.ask(tree, true)!.indices).toEqual([1, 2, 3]);
  });

  it('is given up with its strand when that was pruned or ended', () => {
    for (const closing of ['pruned', 'ended'] as const) {
      const { program, tree, node } = preempted();
      tree.record({ type: 'closed', strand: program.ask(tree, true)!.strand, closing });
      expect(node.cut).toBe(false);
      expect(program.ask(tree, true)!.node).toBe(node.children[0]);
    }
  });

  it('is found cut in the tree read back from its log, and completed there', () => {
    const { program, tree, log, node } = preempted();
    const read = Tree.replay(JSON.parse(JSON.stringify(log)) as TreeEvent[]);
    expect(digestTree(read)).toEqual(digestTree(tree));
    expect(program.ask(read, true)).toMatchObject({ node: { id: node.id }, indices: [0, 2, 3] });
    expect(program.ask(tree, true)).toMatchObject({ node: { id: node.id }, indices: [0, 2, 3] });
    expect(digestTree(read)).toEqual(digestTree(tree));
  });

  it('takes a child that comes late as a ghost, under the key that is asked for again', () => {
    const { program, tree, node } = preempted();
    const step = { text: 'late\n', tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;
    program.tell(tree, { ok: true, node: node.id, index: 2, form: formKey({ temperature: 0.8 }), step, reward: 0.7 });
    expect(program.ask(tree, true)!.indices).toEqual([0, 2, 3]);
    expect(tree.ghostFor(node, 2)?.step).toBe(step);
    expect(tree.ghostFor(node, 0)).toBeUndefined();
  });
});

describe('at width one', () => {
  it('is the textbook, bit for bit', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20 }),
        (seed, branching, rollouts) => {
          const grow = (path: readonly number[]) => inOrder(seed, path, branching);
          const program = createMcts({ rollouts, branching, exploration: 1.25 });
          const tree = Tree.plant('product');
          for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, tree.strands.size < 1)) {
            answer(
              tree,
              ask,
              childrenAt(seed, indicesTo(ask.node), branching).map(({ terminal, ...child }) => ({
                ...child,
                end: terminal,
              })),
              program,
            );
          }
          expect(statistics(tree.root)).toEqual(statistics(serialMcts(grow, rollouts, 1.25)));
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** The same children in the order of their keys, in which siblings stand; the path is one of places in that order. */
function inOrder(seed: number, places: readonly number[], branching: number) {
  const indices: number[] = [];
  let parent = rootKey;
  const children = () => {
    const keyed = childrenAt(seed, indices, branching).map((child, index) => {
      return { child, index, key: nodeKey(parent, stepOf(index, child.terminal)) };
    });
    return keyed.sort(byKey);
  };
  for (const place of places) {
    const { index, key } = children()[place]!;
    indices.push(index);
    parent = key;
  }
  return children().map(({ child }) => child);
}

function childrenAt(seed: number, path: readonly number[], branching: number) {
  const random = new Random(seed, path.join('.'));
  return Array.from({ length: branching }, () => ({
    reward: random.uniform(),
    meanLogprob: -random.exponential(1),
    terminal: path.length > 6 || (path.length > 0 && random.chance(0.3)),
  }));
}

function indicesTo(node: Node): number[] {
  return node.parent === undefined ? [] : [...indicesTo(node.parent), node.index];
}

type Statistics = [number, number, number, Statistics[]];

function statistics(node: Node | TextbookNode): Statistics {
  return [node.visits, node.value, node.score, node.children.map(statistics)];
}
