// Hand-worked cases of lazy expansion.

import { describe, expect, it } from 'vitest';
import { fault } from '../../base/fault.ts';
import { formKey } from '../../tree/keys.ts';
import { Tree } from '../../tree/tree.ts';
import type { Ask, Program } from '../program.ts';
import { createMcts } from './mcts.ts';
import { isDue } from './widening.ts';

const create = (branching = 3) =>
  createMcts({ expansion: 'lazy', branching, rollouts: 20, unvisited: 'score', widening: 0.7 });

function planted(program: Program): Tree {
  return Tree.plant('product', undefined, program.fullAt);
}

function say(program: Program, tree: Tree, ask: Ask, text: string, reward: number, end = false): void {
  const step = { text, tokens: 1, meanLogprob: 0, end: end ? 'eos' : 'delimiter' } as const;
  const [index] = ask.indices;
  program.tell(tree, { ok: true, node: ask.node.id, index: index!, form: formKey(ask.sampling), step, reward });
}

function place({ node, indices }: Ask): string {
  return `${node.step?.text ?? 'root'}${indices.join()}`;
}

describe('widening', () => {
  it('starts with one draw and calls for the next as visits come: 2 after 1 visit, 3 after 2, 4 after 4', () => {
    const draws = (visits: number) => [0, 1, 2, 3, 4, 5].find((count) => !isDue(count, visits, 0.7));
    expect([0, 1, 2, 3, 4, 5].map(draws)).toEqual([1, 2, 3, 3, 4, 4]);
    expect([0, 5].map((visits) => [0, 1].map((count) => isDue(count, visits, 0)))).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  it('is one path at first, and a second draw at the root once a rollout is complete', () => {
    const program = create();
    const tree = planted(program);
    const asked: string[] = [];
    for (const [text, end] of [
      ['a', false],
      ['b', false],
      ['c', true],
    ] as const) {
      const ask = program.ask(tree, tree.strands.size < 1)!;
      asked.push(place(ask));
      say(program, tree, ask, text, 0.9, end);
    }
    expect(asked).toEqual(['root0', 'a0', 'b0']);
    expect(tree.closed.completed).toBe(1);
    expect(place(program.ask(tree, true)!)).toBe('root1');
  });

  it('sends a second strand elsewhere: a draw in flight is a draw and a visit', () => {
    const program = create();
    const tree = planted(program);
    expect([program.ask(tree, true)!, program.ask(tree, true)!].map(place)).toEqual(['root0', 'root1']);
    expect(tree.root.pending).toBe(2);
  });

  it('goes on at the twin: with its visits, as a new rollout would from there', () => {
    const program = create();
    const tree = planted(program);
    say(program, tree, program.ask(tree, true)!, 'a', 0.9);
    say(program, tree, program.ask(tree, false)!, 'end', 0.8, true);
    say(program, tree, program.ask(tree, true)!, 'a', 0.9);
    expect(tree.root.children.map(({ count }) => count)).toEqual([2]);
    // a has been visited once and has one draw: the next is due.
    expect(place(program.ask(tree, false)!)).toBe('a1');
  });

  it('ends a strand whose twin has nothing left to draw, and does not count it as a rollout', () => {
    const program = create(2);
    const tree = planted(program);
    say(program, tree, program.ask(tree, true)!, 'a', 0.9);
    say(program, tree, program.ask(tree, false)!, 'x', 0.8, true);
    const second = program.ask(tree, true)!;
    expect(place(second)).toBe('root1');
    say(program, tree, second, 'a', 0.9);
    say(program, tree, program.ask(tree, false)!, 'x', 0.8, true);
    expect(tree.closed.completed).toBe(2);
    expect(program.ask(tree, true)).toBeUndefined();
    expect(tree.root.available).toBe(0);
  });

  it('draws the index of a failed draw again', () => {
    const program = create();
    const tree = planted(program);
    const ask = program.ask(tree, true)!;
    program.tell(tree, { ok: false, node: 0, index: 0, fault: fault('internal', 'test') });
    expect(tree.closed.failed).toBe(1);
    expect(program.ask(tree, true)).toMatchObject({ indices: ask.indices });
  });

  it('foresees the draws of the next rollouts', () => {
    const program = create();
    const tree = planted(program);
    const draws = () => program.foresee(tree, 3).map(({ node, indices }) => [node.id, indices]);
    expect(draws()).toEqual([[0, [0, 1, 2]]]);
    say(program, tree, program.ask(tree, true)!, 'a', 0.9);
    expect(draws()[0]).toEqual([0, [1, 2]]);
  });

  it('looks below a living node whose own draws are doomed', () => {
    const program = create(2);
    const tree = planted(program);
    say(program, tree, program.ask(tree, true)!, 'a', 0.9);
    say(program, tree, program.ask(tree, false)!, 'x', 0.8, true);
    const rootIsDoomed = program.ask(tree, true, (node) => node.depth === 0)!;
    expect(place(rootIsDoomed)).toBe('a1');
  });
});
