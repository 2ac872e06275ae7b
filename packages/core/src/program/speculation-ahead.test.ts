import { describe, expect, it } from 'vitest';
import { digestTree } from '../testing/program/digest.ts';
import { formKey } from '../tree/keys.ts';
import { Tree } from '../tree/tree.ts';
import { createMcts, mctsDefaults } from './mcts/mcts.ts';
import type { Outcome } from './program.ts';
import { type AheadOptions, foreseeAhead } from './speculation-ahead.ts';

const form = formKey(mctsDefaults.sampling);

function outcome(node: number, index: number, reward: number, end: 'delimiter' | 'eos' = 'delimiter') {
  const step = { text: `${node}/${index}`, tokens: 1, meanLogprob: 0, end };
  return { ok: true, node, index, form, step, reward } satisfies Outcome;
}

/** Two steps below the root, 1 and 2; the rollout goes on below the better one, 1, and waits for both its children. */
function planted() {
  const program = createMcts({ rollouts: 4, branching: 2 });
  const tree = Tree.plant('product');
  program.ask(tree, true);
  program.tell(tree, outcome(0, 0, 0.9));
  program.tell(tree, outcome(0, 1, 0.5));
  program.ask(tree, false);
  const look = (more: Partial<AheadOptions> = {}) =>
    foreseeAhead(program, tree, { count: 1, doomed: undefined, early: [], isOver: () => false, ...more });
  return { program, tree, look };
}

describe('what a search will ask for', () => {
  it('is the next selection while nothing is known of this one', () => {
    const { tree, look } = planted();
    const [expansion] = look();
    expect(expansion).toMatchObject({ node: { id: 2 }, indices: [0, 1] });
    expect(expansion!.node).toBe(tree.node(2));
  });

  it('lies below the best ghost, once that selection has its ghosts', () => {
    const { program, tree, look } = planted();
    for (const [index, reward] of [0.2, 0.8].entries()) program.tell(tree, outcome(2, index, reward));
    expect(tree.ghosts.size).toBe(2);
    const before = JSON.stringify(digestTree(tree));
    const [expansion] = look();
    const better = [...tree.ghosts.values()].find(({ reward }) => reward === 0.8)!;
    expect(expansion).toMatchObject({ node: { key: better.key, depth: 2, pathTokens: 2 }, indices: [0, 1] });
    expect(JSON.stringify(digestTree(tree))).toBe(before);
  });

  it('is nothing behind the end of the search', () => {
    const { program, tree, look } = planted();
    for (const index of [0, 1]) program.tell(tree, outcome(2, index, 1, 'eos'));
    expect(look({ count: 4, isOver: ({ best }) => best !== undefined })).toEqual([]);
  });

  it('begins below what has come early, where half of its siblings have', () => {
    const { look } = planted();
    const [first] = look({ early: [outcome(1, 1, 0.7)] });
    expect(first).toMatchObject({ node: { parent: { id: 1 }, reward: 0.7 }, indices: [0, 1] });
  });
});
