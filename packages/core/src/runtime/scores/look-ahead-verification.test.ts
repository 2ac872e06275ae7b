import { expect, it } from 'vitest';
import type { RequestId } from '../../engine/engine.ts';
import { type NodeKey, nodeKey, rootKey } from '../../tree/keys.ts';
import { looksAhead } from './look-ahead-verification.ts';
import { ScoreBatcher } from './score-batcher.ts';

const plain = { name: 'told', aggregation: 'product', reusesPrefix: false } as const;

/** Adds the score of a step below a node; gives the node that the step will be. */
function adder(line: ScoreBatcher) {
  return (id: RequestId, parent: NodeKey, lane: 'primary' | 'speculative', search = 'a'): NodeKey => {
    const step = { text: `${id}`, tokens: 10, meanLogprob: 0, end: 'delimiter' } as const;
    const key = nodeKey(parent, step);
    const prompt = { kind: 'text', text: 'q' } as const;
    line.add({ id, search, prompt, parent, path: [], index: 0, step, lane, priority: 0 }, key);
    return key;
  };
}

const taken = (line: ScoreBatcher) => line.take(0).map(({ id }) => id);

it('is for verifiers that score two steps in one pass and compute every path anew', () => {
  expect(looksAhead({})).toBe(false);
  expect(looksAhead({ looksAhead: true, reusesPrefix: true })).toBe(false);
  expect(looksAhead({ looksAhead: true, reusesPrefix: false })).toBe(true);
});

it('sends a speculative step along with the step before it, and the one behind that', () => {
  const line = new ScoreBatcher({ ...plain, looksAhead: true });
  const add = adder(line);
  // The verifier is at work, so that no speculative step goes for its own sake.
  add(0, rootKey, 'primary', 'other');
  expect(taken(line)).toEqual([0]);
  const first = nodeKey(rootKey, { text: '1', end: 'delimiter' });
  const second = add(2, first, 'speculative');
  add(3, second, 'speculative');
  add(4, first, 'speculative', 'other');
  expect(taken(line)).toEqual([]);
  expect(add(1, rootKey, 'primary')).toBe(first);
  expect(taken(line)).toEqual([1, 2, 3]);
});

it('sends a speculative step at once while the verifier has the step before it', () => {
  const both = [true, false].map((ahead) => {
    const line = new ScoreBatcher({ ...plain, looksAhead: ahead });
    const add = adder(line);
    const first = add(1, rootKey, 'primary');
    taken(line);
    add(2, first, 'speculative');
    return taken(line);
  });
  expect(both).toEqual([[2], []]);
});
