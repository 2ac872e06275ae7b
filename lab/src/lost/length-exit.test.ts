import type { PathVote } from 'coppice';
import { expect, test } from 'vitest';
import { treeOf } from '../../../tests/support/trees.ts';
import { exitByLength } from './length-exit.ts';

test('answers that are long give a question up, once there are enough of them', () => {
  const exitOf = (...tokens: number[]) => {
    const tree = treeOf('product', []);
    const votes = tokens.map(
      (pathTokens): PathVote => ({ answer: 'a', weight: 1, node: { ...tree.root, pathTokens } }),
    );
    const belief = { votes: () => votes, certainty: () => ({ answers: 0, agreement: 0 }) };
    const view = { tree, belief, limits: { threshold: 0.9, rollouts: 16 }, nowMs: 0, arrivalMs: 0, admittedMs: 0 };
    return exitByLength(100, 2).check(view);
  };
  expect(exitOf(500)).toBeUndefined();
  expect(exitOf(90, 110)).toBeUndefined();
  expect(exitOf(90, 90, 900)).toBeUndefined();
  expect(exitOf(90, 112)).toEqual({
    kind: 'exhausted',
    rule: 'length',
    evidence: { answers: 2, meanTokens: 101, limit: 100 },
  });
});
