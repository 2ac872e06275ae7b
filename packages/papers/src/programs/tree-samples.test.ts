// Where rollouts begin, on a tree told by hand: two at the root, then branches of finished paths.

import { expect, it } from 'vitest';
import type { Ask, Program } from '../../../core/src/program/program.ts';
import { createProgram } from '../../../core/src/program/registry/programs.ts';
import { plantedEvent } from '../../../core/src/tree/events.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import { Tree } from '../../../core/src/tree/tree.ts';

const size = { rollouts: 6, branching: 3, maxDepth: 9, sampling: { temperature: 1 }, choose: 'best' } as const;

/** Every path has three steps; the text of a step names its place. */
function tell(program: Program, tree: Tree, { node, indices: [index = 0] }: Ask, reward = 1): void {
  const end = node.depth === 2 ? 'eos' : 'delimiter';
  const step: Step = { text: `${node.id}.${index} `, tokens: 10, meanLogprob: 0, end };
  program.tell(tree, {
    ok: true,
    node: node.id,
    index,
    form: 0,
    step,
    reward,
    answer: end === 'eos' ? 'a' : undefined,
  });
}

function grow(program: Program, rewardOf = (_: Ask) => 1): { tree: Tree; beginnings: number[] } {
  const tree = Tree.replay([plantedEvent('product')]);
  const beginnings: number[] = [];
  for (let asks = 0; asks < 100; asks += 1) {
    const before = tree.nextStrand;
    const ask = program.ask(tree, true);
    if (ask === undefined) break;
    if (tree.nextStrand > before) beginnings.push(ask.node.depth);
    tell(program, tree, ask, rewardOf(ask));
  }
  return { tree, beginnings };
}

it('begins rollouts / branching of them at the root and the others inside finished paths', () => {
  const { tree, beginnings } = grow(createProgram('tree-samples', size));
  expect(beginnings.slice(0, 2)).toEqual([0, 0]);
  expect(beginnings).toHaveLength(6);
  expect(beginnings.slice(2).every((depth) => depth === 1 || depth === 2)).toBe(true);
  expect(tree.closed.completed).toBe(6);
});

it('are flat samples with a branching of 1', () => {
  const { beginnings } = grow(createProgram('tree-samples', { ...size, branching: 1 }));
  expect(beginnings).toEqual([0, 0, 0, 0, 0, 0]);
});

it('waits for a finished path before it branches', () => {
  const program = createProgram('tree-samples', { ...size, rollouts: 2, branching: 2 });
  const tree = Tree.replay([plantedEvent('product')]);
  expect(program.ask(tree, true)?.node.depth).toBe(0);
  expect(program.ask(tree, true)).toBeUndefined();
});

it('concludes once so many rollouts have the same score, and not before or where they differ', () => {
  const settled = createProgram('scored-tree-samples', size, { settleAfter: 4 });
  expect(settled.belief?.(grow(settled).tree).conclusion?.()).toEqual({
    rule: 'alike',
    evidence: { rollouts: 6, lowest: 1, highest: 1 },
  });
  const differs = ({ node, indices: [index = 0] }: Ask) => (node.depth === 2 && index === 0 ? 0 : 1);
  expect(settled.belief?.(grow(settled, differs).tree).conclusion?.()).toBeUndefined();
  const patient = createProgram('scored-tree-samples', size, { settleAfter: 7 });
  expect(patient.belief?.(grow(patient).tree).conclusion?.()).toBeUndefined();
});
