import { expect, it } from 'vitest';
import { createMcts } from '../../program/mcts/mcts.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { Tree } from '../../tree/tree.ts';
import { Search } from './search.ts';

const step = { text: 'so\n', tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;

function begun(aggregation: Aggregation) {
  const program = createMcts({ branching: 1, rollouts: 4 });
  const tree = Tree.plant(aggregation);
  const search = new Search(
    {
      id: 'a',
      prompt: { kind: 'text', text: 'a' },
      program,
      rules: { exits: [], prunes: [], boost: true },
      limits: { threshold: 0.6, rollouts: 4 },
      seed: 1,
      priority: 0,
      delimiters: ['\n'],
      stepTokens: 8,
      extract: () => undefined,
    },
    { tree, arrivalMs: 0, turn: 0 },
  );
  program.ask(tree, true);
  return { program, tree, search };
}

function afterOneBadStep(aggregation: Aggregation) {
  const { program, tree, search } = begun(aggregation);
  program.tell(tree, { ok: true, node: 0, index: 0, form: 0, step, reward: 0.3 });
  return search.asRunning(undefined);
}

it('doubts a first rollout below the threshold only where scores fall along a path', () => {
  for (const aggregation of ['product', 'minimum'] as const) expect(afterOneBadStep(aggregation).hopeful).toBe(false);
  for (const aggregation of ['mean', 'last', 'sum'] as const) expect(afterOneBadStep(aggregation).hopeful).toBe(true);
});

it('believes, looking ahead, what the tree that it looks at would make it believe', () => {
  const { program, tree, search } = begun('product');
  tree.ahead((ahead) => {
    program.tell(ahead, {
      ok: true,
      node: 0,
      index: 0,
      form: 0,
      step: { ...step, end: 'eos' },
      reward: 0.9,
      answer: '7',
    });
    expect(search.view(0, ahead).belief.votes()).toMatchObject([{ answer: '7' }]);
  });
  expect(search.view(0).belief.votes()).toEqual([]);
});

it('is seen as it was until its tree is told something, its width changes or the decision reads the moment', () => {
  const { program, tree, search } = begun('product');
  const seen = (changing?: number, speculates = false) => search.asRunning(undefined, changing, speculates);
  const first = seen();
  expect(seen()).toBe(first);
  expect(seen(0.5)).toMatchObject({ ...first, changing: 0.5 });
  search.width = { primary: 2, speculative: 0 };
  expect(seen().width.primary).toBe(2);
  const before = seen();
  program.tell(tree, { ok: true, node: 0, index: 0, form: 0, step: { ...step, end: 'eos' }, reward: 0.3 });
  expect(seen()).toMatchObject({ hopeful: false, observations: 1, progress: 0.5, openStrands: 0, rolloutsLeft: 3 });
  expect(before).toMatchObject({ hopeful: true, observations: 0, openStrands: 1 });
  expect(seen(undefined, true).guesses).toMatchObject({ open: 0, kvTokens: 1 });
  expect(seen().guesses).toBeUndefined();
});
