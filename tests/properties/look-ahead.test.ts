// A look ahead on a tree sees what it would see on a copy of it, and leaves the tree as it was: at every moment of searches by many
// programs, in weather in which other answers come first.

import { expect, it } from 'vitest';
import { isTreeEvent } from '../../packages/core/src/log/events.ts';
import { createBestFirst } from '../../packages/core/src/program/best-first/best-first.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import type { Expansion, Program } from '../../packages/core/src/program/program.ts';
import { type AheadOptions, foreseeAhead } from '../../packages/core/src/program/speculation-ahead.ts';
import { createPanel } from '../../packages/core/src/program/whole-answers/panel.ts';
import { digestTree } from '../../packages/core/src/testing/program/digest.ts';
import type { TreeEvent } from '../../packages/core/src/tree/events.ts';
import { pathTo } from '../../packages/core/src/tree/node.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { createBeam } from '../../packages/papers/src/levels/beam.ts';
import { createRebase } from '../../packages/papers/src/levels/rebase.ts';
import { createChain } from '../../packages/papers/src/programs/chain.ts';
import { createRest } from '../../packages/papers/src/programs/rest.ts';
import { createRefine } from '../../packages/papers/src/refine/refine.ts';
import { run } from '../support/toy-run.ts';

const programs: readonly (() => Program)[] = [
  () => createMcts({ rollouts: 6, branching: 3 }),
  () => createBestFirst({ rollouts: 6, branching: 3 }),
  () => createRest({ rollouts: 4 }),
  () => createChain({ probeEvery: 12, probeAgree: 2 }),
  () => createPanel({ models: ['small', 'big'], samples: 2, synthesizer: 'big' }),
  () => createRefine({ rollouts: 8 }),
  () => createBeam({ beams: 4, candidates: 3 }),
  () => createRebase({ paths: 6, firstPaths: 2 }),
];

const options: AheadOptions = {
  count: 6,
  doomed: undefined,
  early: [],
  isOver: ({ best }) => best !== undefined && best.score >= 0.9,
};

/** A copy that is grown in the open: nothing is shared with the tree, and nothing is taken back. */
function copyOf(events: readonly TreeEvent[]): Tree {
  const copy = Tree.replay(events);
  copy.ahead = (look) => look(copy);
  return copy;
}

function textOf(expansions: readonly Expansion[]): string {
  return JSON.stringify(
    expansions.map(({ node, ...how }) => {
      const { key, depth, pathTokens } = node;
      const replies = how.probe ? [...(node.probes ?? [])] : [];
      return { key, depth, pathTokens, path: pathTo(node).map((each) => each.key), replies, ...how };
    }),
  );
}

it('sees what it would see on a copy, and leaves the tree as it was', () => {
  let [foreseen, belowGhosts] = [0, 0];
  for (let seed = 0; seed < 2 * programs.length; seed += 1) {
    const create = programs[seed % programs.length]!;
    const misfortune = seed < programs.length ? {} : { fail: 0.1, double: 0.2, untilMs: 1e9 };
    const width = { primary: 1 + (seed % 3), speculative: 'random' } as const;
    const events = run({ create, seed, width, weather: seed, misfortune }).events.filter(isTreeEvent);
    const tree = Tree.replay(events.slice(0, 1));
    for (let at = 1; at < events.length; at += 1) {
      tree.record(events[at]!);
      const before = JSON.stringify(digestTree(tree));
      const seen = foreseeAhead(create(), tree, options);
      expect(JSON.stringify(digestTree(tree))).toBe(before);
      expect(textOf(seen)).toBe(textOf(foreseeAhead(create(), copyOf(events.slice(0, at + 1)), options)));
      foreseen += seen.length;
      belowGhosts += seen.filter(({ node }) => !node.terminal && tree.nodeOf(node.key) === undefined).length;
    }
    expect(digestTree(tree)).toEqual(digestTree(Tree.replay(events)));
  }
  expect(foreseen).toBeGreaterThan(1000);
  expect(belowGhosts).toBeGreaterThan(100);
});

it('takes back what a look ahead has grown where that throws', () => {
  const program = createMcts({ rollouts: 4, branching: 2 });
  const tree = Tree.plant('product');
  program.ask(tree, true);
  const before = digestTree(tree);
  const step = { text: 'so', tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;
  const broken = () =>
    tree.ahead((ahead) => {
      program.tell(ahead, { ok: true, node: 0, index: 1, form: 0, step, reward: 0.5 });
      expect(ahead.nodes).toHaveLength(2);
      throw new Error('broken');
    });
  expect(broken).toThrow('broken');
  expect(digestTree(tree)).toEqual(before);
});
