// DeepConf by hand: the authors' confidence of a token, of a group and of a path, the bound of the warm-up, and who is ended by it.

import { lowestGroup, Tree, tokenConfidence, windowFor } from '@coppice/core/tree';
import type { Node, SearchView, Step } from 'coppice';
import { describe, expect, it } from 'vitest';
import { percentile, pruneConfidence } from './deepconf.ts';

/** One sample below the root for each list; open ones get no end. */
function samples(lists: readonly { readonly sure: readonly number[]; readonly ended: boolean }[]) {
  const tree = Tree.plant('product');
  const nodes = lists.map(({ sure, ended }, index): Node => {
    tree.record({ type: 'opened', strand: index, node: 0 });
    tree.record({ type: 'asked', strand: index, node: 0, indices: [index], sampling: { temperature: 1 } });
    const end = ended ? 'eos' : 'length';
    const step: Step = { text: `s${index}`, tokens: sure.length, meanLogprob: 0, end, confidences: sure };
    tree.record({ type: 'grown', node: tree.nextNode, parent: 0, key: index + 1, index, step, terminal: ended });
    return tree.nodes.at(-1)!;
  });
  return { view: { tree } as SearchView, nodes };
}

describe('confidence', () => {
  it('of a token is the negative mean over its likeliest candidates, and no more than twenty', () => {
    expect(tokenConfidence([-0.5, -1.5, -4])).toBe(2);
    expect(tokenConfidence([...Array<number>(20).fill(-1), -100])).toBe(1);
    expect(tokenConfidence([])).toBeUndefined();
  });

  it('of a path is that of its least sure window, or its mean where it is shorter than one', () => {
    const { nodes } = samples([{ sure: [4, 4, 1, 3, 4], ended: true }]);
    expect(lowestGroup(nodes[0]!, 2, true)).toBe(2);
    expect(lowestGroup(nodes[0]!, 8, true)).toBe(3.2);
    expect(lowestGroup(nodes[0]!, 8, false)).toBeUndefined();
  });
});

it('a window is a sixteenth of the mean path, and no longer than the authors’', () => {
  const path = (pathTokens: number) => ({ pathTokens }) as Node;
  expect([[], [path(3)], [path(100), path(220)], [path(60_000)]].map(windowFor)).toEqual([1, 1, 10, 2048]);
});

it('percentile lies between two values by its distance from them', () => {
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(percentile([1, 2, 3], 1)).toBe(3);
  expect(percentile([5], 0.9)).toBe(5);
});

describe('the rule', () => {
  const rule = pruneConfidence({ keepConfident: 0.5, confidentWindow: 2, confidentWarmup: 2 });

  it('ends nothing before the first samples have come to their ends', () => {
    const { view } = samples([
      { sure: [4, 4], ended: true },
      { sure: [1, 1], ended: false },
    ]);
    expect(rule.judge(view)).toBeUndefined();
  });

  it('ends a sample with a window below the bound that keeps the surest share of them, and no other', () => {
    const { view, nodes } = samples([
      { sure: [4, 4], ended: true },
      { sure: [2, 2], ended: true },
      { sure: [9, 9, 2, 2.5, 9], ended: false },
      { sure: [4, 2, 4], ended: false },
      { sure: [1], ended: false },
    ]);
    const judge = rule.judge(view)!;
    expect(judge(nodes[2]!)).toEqual({ confidence: 2.25, bound: 3, window: 2 });
    expect(judge(nodes[3]!)).toBeUndefined();
    expect(judge(nodes[4]!)).toBeUndefined();
  });

  it('follows the length of the first samples where no window is said', () => {
    const following = pruneConfidence({ keepConfident: 0.5, confidentWindow: 0, confidentWarmup: 2 });
    const long = (value: number) => Array<number>(32).fill(value);
    const { view, nodes } = samples([
      { sure: long(4), ended: true },
      { sure: long(2), ended: true },
      { sure: [9, 9, 2, 2.5, 9], ended: false },
    ]);
    expect(following.judge(view)!(nodes[2]!)).toEqual({ confidence: 2.25, bound: 3, window: 2 });
  });
});
