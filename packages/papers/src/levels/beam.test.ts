import { describe, expect, it } from 'vitest';
import { fault } from '../../../core/src/base/fault.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { createBeam } from './beam.ts';

const rewards = [0.5, 0.9, 0.8];

/** Two beams of three candidates; the root's expansion is preempted after candidate 1 has arrived. */
function preempted() {
  const program = createBeam({ beams: 2, candidates: 3 });
  const tree = Tree.plant('product');
  const tell = (index: number) => {
    const step = { text: `${index}\n`, tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;
    program.tell(tree, { ok: true, node: 0, index, form: 0, step, reward: rewards[index]! });
  };
  const fail = (index: number) => program.tell(tree, { ok: false, node: 0, index, fault: fault('internal', 'test') });
  const { strand } = program.ask(tree, true)!;
  tell(1);
  tree.record({ type: 'closed', strand, closing: 'preempted' });
  return { program, tree, tell, fail };
}

describe('a beam whose expansion was preempted', () => {
  it('is asked for its missing candidates before the level is chosen', () => {
    const { program, tree, tell } = preempted();
    expect(program.foresee(tree, 1)).toMatchObject([{ node: { id: 0 }, indices: [0, 2] }]);
    expect(program.ask(tree, true)).toMatchObject({ node: { id: 0 }, indices: [0, 2] });
    tell(0);
    expect(program.ask(tree, true)).toBeUndefined();
    tell(2);
    const beams = [program.ask(tree, true)!, program.ask(tree, true)!].map(({ node }) => node.reward);
    expect(beams).toEqual([0.9, 0.8]);
  });

  it('goes on with the candidates it has when the missing ones fail', () => {
    const { program, tree, fail } = preempted();
    for (const index of program.ask(tree, true)!.indices) fail(index);
    expect(tree.closed.failed).toBe(0);
    expect(program.ask(tree, false)?.node.reward).toBe(0.9);
  });
});

describe('a beam that was pruned', () => {
  it('leaves its level to the others, and is not taken up again', () => {
    const program = createBeam({ beams: 2, candidates: 3 });
    const tree = Tree.plant('product');
    const tell = (node: number, index: number) => {
      const step = { text: `${node}/${index}\n`, tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;
      program.tell(tree, { ok: true, node, index, form: 0, step, reward: rewards[index]! });
    };
    program.ask(tree, true);
    for (const index of [0, 1, 2]) tell(0, index);
    const [strong, weak] = [program.ask(tree, true)!, program.ask(tree, true)!];
    tree.record({ type: 'closed', strand: weak.strand, closing: 'pruned' });
    expect(program.ask(tree, true)).toBeUndefined();
    for (const index of [0, 1, 2]) tell(strong.node.id, index);
    const next = [program.ask(tree, true)!, program.ask(tree, true)].map((ask) => ask?.node.parent?.id);
    expect(next).toEqual([strong.node.id, strong.node.id]);
  });
});

describe('a beam that branches by score, in first steps of their own length', () => {
  it('gives the better beam more of the candidates, and short steps at first', () => {
    const program = createBeam({ beams: 2, candidates: 3, spread: 'score', firstSteps: 1, firstStepTokens: 9 });
    const tree = Tree.plant('last');
    const root = program.ask(tree, true)!;
    expect([root.indices, root.manner]).toEqual([[0, 1, 2], { maxTokens: 9 }]);
    for (const [index, reward] of [0.9, 0.3, 0.1].entries()) {
      const step = { text: `${index}\n`, tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;
      program.tell(tree, { ok: true, node: 0, index, form: 0, step, reward });
    }
    // Six candidates: one for each beam; the other four are split three quarters to one quarter.
    const beams = [program.ask(tree, true)!, program.ask(tree, true)!];
    expect(beams.map(({ node, indices, manner }) => [node.reward, indices.length, manner])).toEqual([
      [0.9, 4, undefined],
      [0.3, 2, undefined],
    ]);
  });
});

it('is full from its first level on, though it has fewer candidates than beams, and narrows only by finished paths', () => {
  const program = createBeam({ beams: 4, candidates: 2 });
  const tree = Tree.plant('product');
  const tell = (node: number, index: number, end: 'delimiter' | 'eos' = 'delimiter') => {
    const step = { text: `${node}/${index}`, tokens: 1, meanLogprob: 0, end };
    program.tell(tree, { ok: true, node, index, form: 0, step, reward: 0.9 });
  };
  const asked = () => {
    const asks = [];
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) asks.push(ask);
    return asks;
  };
  expect(asked().map(({ indices }) => indices)).toEqual([[0, 1, 2, 3]]);
  for (const index of [0, 1, 2, 3]) tell(0, index, index === 0 ? 'eos' : 'delimiter');
  expect(tree.closed.completed).toBe(1);
  const second = asked();
  expect(second).toHaveLength(3);
  for (const { node, indices } of second) for (const index of indices) tell(node.id, index);
  expect(asked()).toHaveLength(3);
});
