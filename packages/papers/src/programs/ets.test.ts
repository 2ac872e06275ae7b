import { expect, test } from 'vitest';
import { Random } from '../../../core/src/base/random.ts';
import { type Node, pathTo } from '../../../core/src/tree/node.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { asDrawnChild, rewardWeights } from '../levels/rebase.ts';
import { selectLeaves } from './ets.ts';

/** A reward higher by 0.1 has twice the weight. */
const balance = 0.1 / Math.log(2);

interface Shoot {
  readonly parent: number;
  readonly text: string;
  readonly reward: number;
}

function planted(shoots: readonly Shoot[]): { readonly tree: Tree; readonly leaves: Node[] } {
  const tree = Tree.plant('last');
  for (const [at, { parent, text, reward }] of shoots.entries()) {
    const index = tree.node(parent).children.length;
    tree.record({ type: 'opened', strand: at, node: parent });
    tree.record({ type: 'asked', strand: at, node: parent, indices: [index], sampling: { temperature: 1 } });
    const step = { text, tokens: 1, meanLogprob: 0, end: 'delimiter' } as const;
    tree.record({ type: 'grown', node: at + 1, key: at + 1, parent, index, step, reward, terminal: false });
    tree.record({ type: 'closed', strand: at, closing: 'ended' });
  }
  return { tree, leaves: tree.nodes.filter(({ id, children }) => id > 0 && children.length === 0) };
}

test('a leaf is kept where it is worth its nodes, or where it alone says something else', () => {
  const { leaves } = planted([
    { parent: 0, text: 'a', reward: 0.5 },
    { parent: 0, text: 'b', reward: 0.5 },
    { parent: 1, text: '1+2=3', reward: 0.9 },
    { parent: 1, text: '2+1=3', reward: 0.8 },
    { parent: 2, text: '3=1+2', reward: 0.7 },
    { parent: 2, text: '5*5=25', reward: 0.6 },
  ]);
  const kept = (cacheWeight: number, varietyWeight: number) =>
    selectLeaves(leaves, { balance, cacheWeight, varietyWeight }).kept.map(({ step }) => step!.text);
  // Weights 8 : 4 : 2 : 1 of 15, six nodes on all paths. Without a cost all leaves stay.
  expect(kept(0, 0).length).toBe(4);
  // A node costs 1/6: the second leaf brings 0.267 and costs 0.167, the third brings 0.133 and costs two nodes.
  expect(kept(1, 0)).toEqual(['1+2=3', '2+1=3']);
  // Two clusters at 1/2 each: the last leaf is alone in its cluster, which pays for its two nodes.
  expect(kept(1, 1)).toEqual(['1+2=3', '2+1=3', '5*5=25']);
});

/** The best value of all sets, by trying each of them. */
function bestValue(leaves: readonly Node[], cacheWeight: number): number {
  const weights = rewardWeights(leaves.map(asDrawnChild), balance);
  const [allNodes, allClusters] = [new Set(leaves.flatMap(pathTo)).size, clustersOf(leaves)];
  let best = Number.NEGATIVE_INFINITY;
  for (let set = 1; set < 2 ** leaves.length; set += 1) {
    const chosen = leaves.filter((_, at) => set & (1 << at));
    const weight = weights.reduce((sum, each, at) => (set & (1 << at) ? sum + each : sum), 0);
    const nodes = new Set(chosen.flatMap(pathTo)).size;
    best = Math.max(best, weight - (cacheWeight * nodes) / allNodes + clustersOf(chosen) / allClusters);
  }
  return best;
}

function clustersOf(leaves: readonly Node[]): number {
  return new Set(leaves.map(({ step }) => step!.text)).size;
}

function randomLeaves(seed: number, width: number): Node[] {
  const random = new Random('ets', seed);
  const parents = Array.from({ length: 1 + Math.floor(width / 4) }, (_, at) => ({
    parent: 0,
    text: `p${at}`,
    reward: random.uniform(),
  }));
  const shoots = Array.from({ length: width }, () => ({
    parent: 1 + random.integer(parents.length),
    text: `${random.integer(width / 2)}`,
    reward: random.uniform(),
  }));
  return planted([...parents, ...shoots]).leaves.filter(({ depth }) => depth === 2);
}

test('what it keeps is the best of all sets', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const leaves = randomLeaves(seed, 10);
    const cacheWeight = 0.5 + (seed % 4);
    const { value } = selectLeaves(leaves, { balance, cacheWeight, varietyWeight: 1 });
    expect(value).toBeCloseTo(bestValue(leaves, cacheWeight), 9);
  }
});

test('where there are too many leaves to weigh every set, it misses little of the best', () => {
  const misses = Array.from({ length: 100 }, (_, seed) => {
    const leaves = randomLeaves(seed, 16);
    const options = { balance, cacheWeight: 0.5 + (seed % 4), varietyWeight: 1 };
    return selectLeaves(leaves, options).value - selectLeaves(leaves, options, 0).value;
  });
  expect(Math.min(...misses)).toBeGreaterThan(-1e-9);
  expect(misses.filter((miss) => miss > 1e-9).length).toBeLessThan(20);
  expect(Math.max(...misses)).toBeLessThan(0.15);
});
