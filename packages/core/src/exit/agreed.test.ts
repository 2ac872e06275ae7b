import { expect, test } from 'vitest';
import { treeVotes } from '../tree/readings/certaindex.ts';
import { Tree } from '../tree/tree.ts';
import { agreed } from './agreed.ts';
import type { SearchView } from './exit.ts';

/** Finished paths of one step with these answers and rewards, in a tree that grows draw by draw unless told otherwise. */
function exitOf(paths: readonly (readonly [string, number])[], fullAt: number | 'whole' = 32) {
  const tree = Tree.replay([{ type: 'planted', aggregation: 'product', ...(fullAt !== 'whole' && { fullAt }) }]);
  tree.record({ type: 'opened', strand: 0, node: 0 });
  const indices = paths.map((_, index) => index);
  tree.record({ type: 'asked', strand: 0, node: 0, indices, sampling: { temperature: 1 } });
  for (const [index, [answer, reward]] of paths.entries()) {
    const step = { text: `${answer} ${index}`, tokens: 1, meanLogprob: 0, end: 'eos' } as const;
    const place = { node: index + 1, key: index + 1, parent: 0, index } as const;
    tree.record({ type: 'grown', ...place, step, reward, terminal: true, answer });
  }
  const belief = { votes: () => treeVotes(tree), certainty: () => ({ answers: 0, agreement: 0 }) };
  return agreed.check({ tree, belief } as unknown as SearchView);
}

const fours = (count: number, score = 0.3) => Array.from({ length: count }, () => ['4', score] as const);

test('ends a tree that grows draw by draw at seven answers that are the same, with the best path of them', () => {
  expect(exitOf(fours(6))).toBeUndefined();
  expect(exitOf([...fours(6), ['4.0', 0.5]])).toEqual({
    kind: 'certain',
    rule: 'agreed',
    evidence: { answers: 7, needed: 7, score: 0.5, node: 7 },
  });
  expect(exitOf([...fours(9), ['5', 0.1]])).toBeUndefined();
});

test('does not count what is certainly wrong, and leaves other trees alone', () => {
  expect(exitOf(fours(9, 0))).toBeUndefined();
  expect(exitOf([...fours(7), ['5', 0]])?.rule).toBe('agreed');
  expect(exitOf([...fours(6), ['4', 0]])).toBeUndefined();
  expect(exitOf(fours(9), 'whole')).toBeUndefined();
});
