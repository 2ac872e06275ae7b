// Hand-worked cases: where the next draw goes, and when the search gives up.

import { expect, it } from 'vitest';
import { formKey } from '../../tree/keys.ts';
import { Tree } from '../../tree/tree.ts';
import type { Ask } from '../program.ts';
import { createBestFirst } from './best-first.ts';

const program = createBestFirst({ branching: 8, rollouts: 128 });

/** The model says `text` with this probability. */
function say(tree: Tree, ask: Ask, text: string, probability: number, reward = 1, end = false): void {
  const meanLogprob = Math.log(probability) / 10;
  const step = { text, tokens: 10, meanLogprob, end: end ? 'eos' : 'delimiter' } as const;
  const form = formKey(ask.sampling);
  program.tell(tree, { ok: true, node: ask.node.id, index: ask.indices[0]!, form, step, reward });
}

function planted(): Tree {
  return Tree.plant('product', undefined, program.fullAt);
}

/** The first line is nearly certain, the second was false. */
function failedOnce(certainty = 0.98): Tree {
  const tree = planted();
  say(tree, program.ask(tree, true)!, 'a', certainty);
  say(tree, program.ask(tree, false)!, 'false 0', 0.2, 0);
  return tree;
}

it('tries a place again at which a line failed, where the model says the same everywhere above', () => {
  expect(program.ask(failedOnce(), true)!.node.step?.text).toBe('a');
});

it('goes back up where the model might have said something else', () => {
  expect(program.ask(failedOnce(0.3), true)!.node.depth).toBe(0);
});

it('ends a rollout at a false line, whatever the policy prunes, and counts it', () => {
  const tree = failedOnce();
  program.ask(tree, false);
  expect([tree.strands.size, tree.closed.completed, tree.root.value]).toEqual([0, 1, 0]);
});

it('opens nothing beside the first draw, and a second beside one once three lines have failed', () => {
  const tree = planted();
  program.ask(tree, true);
  expect([program.ask(tree, true), program.demand(tree)]).toEqual([undefined, 1]);
  const stuck = failedOnce();
  for (const text of ['false 1', 'false 2']) say(stuck, program.ask(stuck, true)!, text, 0.01, 0);
  expect(program.ask(stuck, true)!.node.step?.text).toBe('a');
  expect(program.ask(stuck, true)!.node.step?.text).toBe('a');
  expect(program.ask(stuck, true)).toBeUndefined();
});

it('gives up at a place that has cost 320 tokens of failed lines: 32 of 10 tokens', () => {
  const tree = failedOnce();
  let failed = 1;
  for (let ask = program.ask(tree, true); ask !== undefined && failed < 100; ask = program.ask(tree, true)) {
    expect(ask.node.step?.text).toBe('a');
    say(tree, ask, `false ${failed}`, 0.001, 0);
    failed += 1;
  }
  expect(failed).toBe(32);
});

it('takes a line that keeps coming for all that the model says there', () => {
  const tree = failedOnce(0.3);
  for (let again = 0; again < 6; again += 1) say(tree, program.ask(tree, true) ?? program.ask(tree, false)!, 'a', 0.3);
  expect(program.ask(tree, true)?.node.step?.text ?? 'a').toBe('a');
});

it('never gives up where no line is certainly wrong, however long the lines are', () => {
  const few = createBestFirst({ branching: 4, rollouts: 16 });
  const tree = Tree.plant('last', undefined, few.fullAt);
  let drawn = 0;
  for (
    let ask = few.ask(tree, true);
    ask !== undefined && drawn < 200;
    ask = few.ask(tree, true) ?? few.ask(tree, false)
  ) {
    const step = {
      text: `line ${drawn}`,
      tokens: 60,
      meanLogprob: -1,
      end: ask.node.depth === 2 ? 'eos' : 'delimiter',
    } as const;
    const form = formKey(ask.sampling);
    few.tell(tree, { ok: true, node: ask.node.id, index: ask.indices[0]!, form, step, reward: 0.4 });
    drawn += 1;
  }
  expect(tree.closed.completed).toBe(16);
});
