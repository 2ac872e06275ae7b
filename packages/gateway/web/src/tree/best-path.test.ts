import { describe, expect, it } from 'vitest';
import { recordSearch } from '../../../../../tests/support/recorded.ts';
import { SearchFold } from '../../../../core/src/log/fold.ts';
import { type Node, pathTo } from '../../../../core/src/tree/node.ts';
import { bestThrough } from './best-path.ts';

function nodesOf(seed: number, events = Number.POSITIVE_INFINITY): readonly Node[] {
  const fold = new SearchFold();
  for (const logged of recordSearch({ id: 'a', seed, rollouts: 12, threshold: 1 }).slice(0, events)) fold.apply(logged);
  return fold.tree!.nodes;
}

describe('the best path through a node', () => {
  it('leads through it, and to the best end that lies below it', () => {
    for (const seed of [1, 2, 3]) {
      const nodes = nodesOf(seed);
      for (const node of nodes) {
        const end = bestThrough(node);
        if (node.parent !== undefined) expect(pathTo(end)).toContain(node);
        const ends = nodes.filter(
          (each) => each.terminal && (node.parent === undefined || pathTo(each).includes(node)),
        );
        if (ends.length > 0) expect(end.score).toBe(Math.max(...ends.map(({ score }) => score)));
        else expect(end.children).toEqual([]);
      }
    }
  });

  it('goes on along the best children while nothing has ended', () => {
    const [root] = nodesOf(4, 12);
    const end = bestThrough(root!);
    expect(end.terminal).toBe(false);
    expect(end.score).toBe(Math.max(...root!.children.map(({ score }) => score)));
  });
});
