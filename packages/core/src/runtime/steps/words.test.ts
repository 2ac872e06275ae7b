import { expect, test } from 'vitest';
import { nodeKey, rootKey } from '../../tree/keys.ts';
import { Tree } from '../../tree/tree.ts';
import { wordsOf } from './words.ts';

const feedback = 'Line 2 has {attempts}.';

function grown() {
  const tree = Tree.plant('last');
  for (const [index, text] of [' x = 1 ', 'x = 2'].entries()) {
    const step = { text, tokens: 3, meanLogprob: 0, end: 'eos' } as const;
    const draw = { parent: 0, index, key: nodeKey(rootKey, step), step, terminal: false, reward: 0.25 };
    tree.record({ type: 'opened', strand: index, node: 0 });
    tree.record({ type: 'asked', strand: index, node: 0, indices: [index], sampling: { temperature: 1 } });
    tree.record({ type: 'grown', node: tree.nextNode, ...draw, ...(index === 0 && { feedback }) });
  }
  const [first, second] = [tree.node(1), tree.node(2)];
  const words = (suffix: string | undefined, sources: readonly number[], byUser?: true) =>
    wordsOf(tree, tree.root, { ...(suffix !== undefined && { suffix }), sources, ...(byUser && { byUser }) });
  return { tree, first: first.key, second: second.key, words };
}

test('names in braces are filled in from the sources, and what they bring is not read again', () => {
  const { first, second, words } = grown();
  expect(words('Look:\n{attempts}\nSo:', [first, second])).toBe('Look:\nAttempt 1:\nx = 1\n\nAttempt 2:\nx = 2\nSo:');
  expect(words('{feedback} Again.', [first])).toBe(`${feedback} Again.`);
  expect(words('{feedback}', [second])).toBe('It was judged to be worth 0.25 of 1.');
  expect(words('Not a call:{turn}', [first, second])).toBe('Not a call: x = 1 ');
});

test('words without sources are said as they are', () => {
  const { tree } = grown();
  expect(wordsOf(tree, tree.root, { suffix: 'f({turn})' })).toBe('f({turn})');
  expect(wordsOf(tree, tree.root, {})).toBe('');
});

test('a draw of an earlier log that names sources alone has the words that its program had', () => {
  const { first, words } = grown();
  expect(words(undefined, [first])).toBe('Attempt 1:\nx = 1\n\n');
  expect(words(undefined, [first], true)).toBe(feedback);
});
