import { expect, it } from 'vitest';
import type { RequestId } from '../../engine/engine.ts';
import { nodeKey, rootKey } from '../../tree/keys.ts';
import type { ScoreRequest } from '../../verifier/verifier.ts';
import { ScoreBatcher } from './score-batcher.ts';

const verifier = { name: 'told', aggregation: 'product', reusesPrefix: true } as const;

/** Scores of steps of so many tokens. */
function world() {
  const line = new ScoreBatcher(verifier);
  const add = (id: RequestId, tokens: number, lane: ScoreRequest['lane'] = 'primary') => {
    const step = { text: `${id}`, tokens, meanLogprob: 0, end: 'delimiter' } as const;
    const place = { search: 'a', prompt: { kind: 'text', text: 'q' }, parent: rootKey, path: [] } as const;
    line.add({ id, ...place, index: id, step, lane, priority: 0 }, nodeKey(rootKey, step));
  };
  const take = (nowMs: number) => line.take(nowMs).map(({ id }) => id);
  const score = (nowMs: number, ...ids: RequestId[]) => {
    line.scored(nowMs);
    for (const id of ids) line.answered(id);
  };
  return { line, add, take, score };
}

/** The first pass takes 10 ms, from 0 on. */
function afterOnePass() {
  const told = world();
  told.add(0, 50);
  expect(told.take(0)).toEqual([0]);
  told.score(10, 0);
  return told;
}

it('sends primary steps at once', () => {
  const { add, take } = afterOnePass();
  add(1, 50);
  expect(take(11)).toEqual([1]);
});

it('fills a pass up with speculative steps', () => {
  const { line, add, take } = afterOnePass();
  for (const id of [1, 2, 3]) add(id, 120, 'speculative');
  add(4, 50);
  expect(take(11)).toEqual([4, 1, 2, 3]);
  expect(line.holds(3)).toBe(false);
});

it('keeps a speculative step until another step goes to the verifier, and no longer than a few of the shortest passes', () => {
  const { line, add, take, score } = afterOnePass();
  add(1, 50, 'speculative');
  expect([take(11), line.holds(1), line.dueMs]).toEqual([[], true, 60]);
  add(2, 50);
  expect(take(12)).toEqual([2, 1]);
  score(22, 2, 1);
  add(3, 50, 'speculative');
  expect([take(71), take(72)]).toEqual([[], [3]]);
});

it('sends it at once where there is enough for a pass, and nothing while the verifier has something to do', () => {
  const { add, take, score } = afterOnePass();
  for (const id of [1, 2, 3]) add(id, 120, 'speculative');
  expect(take(11)).toEqual([1, 2, 3]);
  for (const id of [4, 5, 6]) add(id, 120, 'speculative');
  expect(take(12)).toEqual([]);
  score(30, 1, 2, 3);
  expect(take(30)).toEqual([4, 5, 6]);
});

it('sends it once its program has asked for it', () => {
  const { line, add, take } = afterOnePass();
  add(1, 50, 'speculative');
  expect([take(11), line.adopt(1), take(12)]).toEqual([[], true, [1]]);
});

it('forgets what is cancelled while it is kept back', () => {
  const { line, add, take } = afterOnePass();
  add(1, 50, 'speculative');
  expect([line.drop(1), line.drop(1), take(100), line.dueMs]).toEqual([true, false, [], undefined]);
});
