// Hand-worked cases of the predictor of long searches.

import type { RunningSearch } from 'coppice';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../tests/support/trees.ts';
import { acceptanceChance, bestFirstReward, expectedRollouts, expectedShare } from './predictor.ts';
import { bestOpenScore, lostScore } from './scored-shares.ts';

function search(firstReward: number, observations: number, rolloutsLeft = 10): RunningSearch {
  const still = { arrivalMs: 0, priority: 0, naturalWidth: 1, openStrands: 1, demand: 1, progress: 0 };
  const width = { primary: 1, speculative: 0 };
  return { id: 'a', ...still, width, rolloutsLeft, observations, tree: treeOf('product', [{ reward: firstReward }]) };
}

describe('the predictor of long searches', () => {
  it('reads the chance of acceptance off the first reward, and lowers it with every miss', () => {
    expect(acceptanceChance(0.5, 0)).toBeCloseTo(1 / 16, 12);
    expect(acceptanceChance(1, 0)).toBe(1);
    expect(acceptanceChance(1, 4)).toBe(0.5);
  });

  it('expects a geometric number of rollouts, cut at those that are left', () => {
    expect(expectedRollouts(1, 10)).toBe(1);
    expect(expectedRollouts(0.5, 2)).toBe(1.5);
    expect(expectedRollouts(0, 7)).toBe(7);
  });

  it('expects more of the rest to be used after a weak start and after misses', () => {
    expect(expectedShare(search(0.5, 0))).toBeGreaterThan(expectedShare(search(0.95, 0)));
    expect(expectedShare(search(0.95, 5))).toBeGreaterThan(expectedShare(search(0.95, 1)));
    for (const left of [0, 1, 100]) expect(expectedShare(search(0.7, 2, left))).toBeLessThanOrEqual(1);
  });

  it('reads the rollouts that are left, not the strands that it could have open now', () => {
    // a = 4 · 0.5⁴ / 4 = 1/16 and 15 left: (1 - (15/16)^15) · 16 / 15. One open leaf does not make it a short search.
    const late = { ...search(0.5, 0, 15), demand: 1 };
    expect(expectedShare(late)).toBeCloseTo(((1 - (15 / 16) ** 15) * 16) / 15, 12);
    expect(expectedShare({ ...late, demand: 12 })).toBe(expectedShare(late));
  });

  it('finds the best score of a path that still grows, for the other reading of progress', () => {
    const shoots = [{ reward: 0.9, children: [{ reward: 0.8 }, { reward: 1, end: true }] }, { reward: 0.7 }];
    expect(bestOpenScore(treeOf('product', shoots))).toBeCloseTo(0.72, 12);
    expect(bestOpenScore(treeOf('product', []))).toBe(0);
  });

  it('is one of three turns of the score: β, the other reading of progress, and itself', () => {
    const near = { ...search(0.95, 0), threshold: 1, progress: 0.5 };
    const plain = { beta: 3, lambda: 0, progress: 'completed' } as const;
    expect(lostScore(near, 0, plain)).toBe(0);
    expect(lostScore(near, 0, { ...plain, progress: 'open' })).toBe(3);
    expect(lostScore(near, 0, { ...plain, lambda: 2 })).toBeCloseTo(2 * expectedShare(near), 12);
  });

  it('takes the best reward of the first depth', () => {
    expect(bestFirstReward(treeOf('product', [{ reward: 0.4 }, { reward: 0.7, children: [{ reward: 1 }] }]))).toBe(0.7);
    expect(bestFirstReward(treeOf('product', []))).toBeUndefined();
  });
});
