// Prices worked by hand, before and after a restart.

import { expect, test } from 'vitest';
import { Tree } from '../../tree/tree.ts';
import { Spending } from './spending.ts';

const writers = {
  small: { price: { prompt: 1, generated: 10 } },
  big: { price: { prompt: 2, cached: 1, generated: 100 } },
};
const usage = { computedTokens: 1000, cachedTokens: 500, generatedTokens: 100 };

test('what each model read and wrote is priced by its own price, and what names none is the own model', () => {
  const spending = new Spending({ model: 'small', writers });
  spending.generated(usage);
  spending.generated(usage, 'big');
  expect(spending.cost()).toEqual({
    models: {
      small: { calls: 1, promptTokens: 1000, cachedTokens: 500, generatedTokens: 100, money: 0.0025 },
      big: { calls: 1, promptTokens: 1000, cachedTokens: 500, generatedTokens: 100, money: 0.0125 },
    },
    money: 0.015,
  });
});

test('nothing is told where nothing was named and nothing has a price', () => {
  const spending = new Spending({ model: 'small' });
  spending.generated(usage);
  expect([spending.cost(), spending.money]).toEqual([{}, undefined]);
  const named = new Spending({ model: 'small', writers: { small: {}, big: {} } });
  named.generated(usage, 'big');
  expect([Object.keys(named.cost().models ?? {}), named.money]).toEqual([['big'], undefined]);
});

test('what a former process spent follows from the tree: each step written once, below a path read once', () => {
  const tree = Tree.plant('product');
  const grow = (node: number, parent: number, tokens: number, model?: string) => {
    const step = { text: 'a', tokens, meanLogprob: 0, end: 'delimiter', ...(model && { model }) } as const;
    tree.record({ type: 'opened', strand: node - 1, node: parent });
    tree.record({ type: 'asked', strand: node - 1, node: parent, indices: [0], sampling: { temperature: 1 } });
    tree.record({ type: 'grown', node, key: node, parent, index: 0, step, terminal: false });
  };
  grow(1, 0, 100);
  grow(2, 1, 100, 'big');
  const spending = new Spending({ model: 'small', writers });
  spending.resumed(tree);
  // 100 tokens of small; 100 read and 100 written by big.
  expect(spending.money).toBeCloseTo((100 * 10 + 100 * 2 + 100 * 100) / 1e6, 12);
});
