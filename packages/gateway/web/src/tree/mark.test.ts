import { expect, it } from 'vitest';
import type { Node } from '../../../../core/src/tree/node.ts';
import type { Tree } from '../../../../core/src/tree/tree.ts';
import { markOf, shownScoreOf } from './mark.ts';

const tree = { aggregation: 'product' } as Tree;
const step = (of: object) => ({ terminal: false, score: 1, ...of }) as Node;
const end = (of: object) => step({ terminal: true, step: { end: 'eos' }, ...of });
const read = { probes: new Map([[0, { text: '', tokens: 0, whole: true, reward: 0.51 }]]) };

it('follows the score of a step, or that of an end', () => {
  expect([end({}), end(read), end({ reward: 0.4, score: 0.2 })].map(shownScoreOf)).toEqual([undefined, 0.51, 0.2]);
});

it('compares scores with a threshold only if one acts', () => {
  const nodes = [step({}), step({ reward: 0.4, score: 0.4 }), end({}), end(read), end({ reward: 0.95, score: 0.95 })];
  expect(nodes.map((node) => markOf(node, tree, 0.9))).toEqual(['viable', 'futile', 'unscored', 'lost', 'won']);
  expect(nodes.map((node) => markOf(node, tree, null))).toEqual(['viable', 'viable', 'unscored', 'scored', 'scored']);
});
