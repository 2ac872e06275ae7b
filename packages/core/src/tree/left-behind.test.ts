// Logs of former versions: a strand went on to one of its children before the others had come.

import { expect, it } from 'vitest';
import type { TreeEvent } from './events.ts';
import { formKey, nodeKey } from './keys.ts';
import { Tree } from './tree.ts';

const sampling = { temperature: 1 };

function grown(tree: Tree, index: number, reward: number, end: 'eos' | 'delimiter'): TreeEvent {
  const step = { text: `${index}`, tokens: 1, meanLogprob: 0, end } as const;
  const key = nodeKey(tree.root.key, step);
  return { type: 'grown', node: tree.nextNode, parent: 0, key, index, step, terminal: end === 'eos', reward };
}

function leaving() {
  const tree = Tree.plant('product');
  tree.record({ type: 'opened', strand: 0, node: 0 });
  tree.record({ type: 'asked', strand: 0, node: 0, indices: [0, 1, 2, 3], sampling });
  tree.record(grown(tree, 0, 0.9, 'delimiter'));
  tree.record({ type: 'moved', strand: 0, node: 1 });
  return tree;
}

it('the others join the tree when they come, and the best of them counts once all have', () => {
  const tree = leaving();
  expect([tree.strand(0).awaiting, tree.root.available]).toEqual([0, 0]);
  tree.record(grown(tree, 1, 0.8, 'eos'));
  tree.record({ type: 'closed', strand: 0, closing: 'pruned' });
  tree.record(grown(tree, 2, 0.7, 'delimiter'));
  expect(tree.best).toBeUndefined();
  tree.record({ type: 'withered', parent: 0, index: 3, code: 'internal' });
  expect(tree.best?.index).toBe(1);
  expect(tree.root.children).toHaveLength(3);
});

it('a ghost of one of them is adopted', () => {
  const tree = leaving();
  const {
    type: _,
    node: __,
    parent: ___,
    ...shoot
  } = grown(tree, 2, 0.7, 'delimiter') as TreeEvent & { type: 'grown' };
  tree.record({ type: 'ghosted', parentKey: tree.root.key, form: formKey(sampling), ...shoot });
  expect(tree.ghostFor(tree.root, 2)?.reward).toBe(0.7);
  tree.record({ type: 'adopted', node: 2, parent: 0, index: 2 });
  expect([tree.node(2).index, tree.ghosts.size]).toEqual([2, 0]);
});
