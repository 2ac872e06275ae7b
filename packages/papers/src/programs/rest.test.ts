import { expect, it } from 'vitest';
import type { Program } from '../../../core/src/program/program.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { createRest } from './rest.ts';

/** With aggregation `last` the value of a partial solution is the reward of its last step. */
function scene(program: Program) {
  const tree = Tree.plant('last');
  const tell = (node: number, index: number, text: string, reward: number) => {
    const end = text.endsWith('\n') ? 'delimiter' : 'eos';
    program.tell(tree, { ok: true, node, index, form: 0, step: { text, tokens: 1, meanLogprob: 0, end }, reward });
  };
  const reply = (node: number, index: number, reward: number, ends?: true) =>
    program.tell(tree, {
      probe: true,
      node,
      index,
      reply: { text: 'played\n', tokens: 2, whole: true, reward, ...(ends && { ends }) },
    });
  const ask = () => {
    const asked = program.ask(tree, true);
    return asked && [asked.node.step?.text, asked.indices, asked.probe === true];
  };
  return { tree, tell, reply, ask };
}

it('plays the best new step on, backs up what that came to, and selects by the values of children', () => {
  const { tree, tell, reply, ask } = scene(createRest({ rollouts: 4, branching: 2, playedSteps: 2 }));
  expect(ask()).toEqual([undefined, [0, 1], false]);
  tell(0, 0, 'a\n', 0.6);
  tell(0, 1, 'b\n', 0.4);
  expect(ask()).toEqual(['a\n', [0], true]);
  reply(1, 0, 0.8);
  expect(ask()).toEqual(['a\n', [1], true]);
  reply(1, 1, 0.5);
  // 0.5 · 0.6 + 0.5 · max(0.8, 0.5) = 0.7
  expect([tree.closed.completed, tree.node(1).visits, tree.node(1).value]).toEqual([1, 1, 0.7]);

  // b has no visit yet. Its child c is worth 0.5 · 0.9 + 0.5 · 0.3 = 0.6, and there the model ends its answer.
  expect(ask()).toEqual(['b\n', [0, 1], false]);
  tell(2, 0, 'c\n', 0.9);
  tell(2, 1, 'd\n', 0.2);
  expect(ask()).toEqual(['c\n', [0], true]);
  reply(3, 0, 0.3, true);
  expect(tree.node(3).value).toBeCloseTo(0.6, 12);

  // Both were visited once: a is worth 0.7, and b 0.6, now the value of c and not its own 0.4.
  expect(ask()).toEqual(['a\n', [0, 1], false]);
  tell(1, 0, 'e\n', 0.1);
  tell(1, 1, 'f\n', 0.2);
  ask();
  reply(6, 0, 0.2, true);

  // No path is finished: the last rollout writes the best leaf, c, to its end.
  expect(ask()).toEqual(['c\n', [0, 1], false]);
  tell(3, 0, 'g\n', 0.4);
  tell(3, 1, 'h\n', 0.3);
  expect(ask()).toEqual(['g\n', [0, 1], false]);
  tell(7, 0, '24', 0.5);
  tell(7, 1, '25', 0.4);
  expect(ask()).toBeUndefined();
  expect([tree.closed.completed, tree.best?.step?.text, tree.probeTokens]).toEqual([4, '24', 8]);
});

it('takes the verifier’s word where nothing is played, and a step as it is where it cannot be played on', () => {
  const unplayed = scene(createRest({ rollouts: 3, branching: 1, playedSteps: 0 }));
  unplayed.ask();
  unplayed.tell(0, 0, 'a\n', 0.6);
  unplayed.ask();
  expect(unplayed.tree.node(1).value).toBe(0.6);

  const program = createRest({ rollouts: 3, branching: 1 });
  const failing = scene(program);
  failing.ask();
  failing.tell(0, 0, 'a\n', 0.6);
  failing.ask();
  program.tell(failing.tree, { probe: true, node: 1, index: 0 });
  expect(failing.tree.node(1).value).toBe(0.6);
});
