// The choice of the writer by the scores of each model.

import { expect, test } from 'vitest';
import { Random } from '../../../core/src/base/random.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { posteriorNames } from './posterior.ts';
import { createRefine } from './refine.ts';
import { writerByScores } from './thompson.ts';

/** A tree of answers below the root, each with the model that wrote it and its reward. */
function treeOf(answers: readonly (readonly [model: string, reward: number])[]): Tree {
  const tree = Tree.plant('last');
  for (const [index, [model, reward]] of answers.entries()) {
    const [strand, node] = [index, index + 1];
    const step = { text: `${index}`, tokens: 1, meanLogprob: 0, end: 'eos', model } as const;
    tree.record({ type: 'opened', strand, node: 0 });
    tree.record({ type: 'asked', strand, node: 0, indices: [index], sampling: { temperature: 1 }, manner: { model } });
    tree.record({ type: 'grown', node, parent: 0, key: 100 + index, index, step, reward, terminal: false });
    tree.record({ type: 'moved', strand, node });
    tree.record({ type: 'closed', strand, closing: 'completed', value: reward });
  }
  return tree;
}

const models = ['small', 'big'];

function sharesOf(tree: Tree, posterior: (typeof posteriorNames)[number]) {
  const draws = Array.from({ length: 400 }, (_, at) => {
    return writerByScores(posterior, tree, models, new Random('writer', posterior, at));
  });
  return draws.filter((writer) => writer === 'big').length / draws.length;
}

test.each(posteriorNames)('by %s, the model that scores higher is asked more often', (posterior) => {
  const worse = Array.from({ length: 6 }, (_, at) => ['small', 0.1 + at / 100] as const);
  const better = Array.from({ length: 6 }, (_, at) => ['big', 0.8 + at / 100] as const);
  expect(sharesOf(treeOf([...worse, ...better]), posterior)).toBeGreaterThan(0.9);
});

test.each(posteriorNames)('by %s, a model that has written nothing is tried', (posterior) => {
  const share = sharesOf(treeOf([['small', 0.4]]), posterior);
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.9);
});

test('a model that is out is not asked, and none is where all are', () => {
  const program = createRefine({ models, rollouts: 8 });
  const tree = treeOf([['small', 0.4]]);
  tree.absences.failed('big', 'timeout');
  for (let asked = 0; asked < 4; asked += 1) expect(program.ask(tree, true)?.manner?.model).toBe('small');
  expect(program.foresee(tree, 2).map(({ manner }) => manner?.model)).toEqual(['small', 'small']);
  tree.absences.failed('small', 'refused');
  expect(program.ask(tree, true)).toBeUndefined();
});

test('what is foreseen names the model that is asked in the end', () => {
  const program = createRefine({ models, rollouts: 40 });
  const tree = treeOf([
    ['small', 0.4],
    ['big', 0.5],
  ]);
  for (let turn = 0; turn < 12; turn += 1) {
    const [foreseen] = program.foresee(tree, 1);
    expect(program.ask(tree, true)).toMatchObject({ node: foreseen!.node, manner: foreseen!.manner });
  }
});
