import { describe, expect, it } from 'vitest';
import { nodeKey } from '../../tree/keys.ts';
import type { ScoreRequest } from '../verifier.ts';
import { type BatchLimits, type ScoreEntry, ScoreQueue, type Work } from './score-queue.ts';

function entry(id: number, text: string, changes: Partial<ScoreRequest> = {}): ScoreEntry {
  const step = { text, tokens: 4, meanLogprob: 0, end: 'delimiter' } as const;
  const common = { search: 's', prompt: { kind: 'text', text: 'q' }, parent: 0, path: [] } as const;
  const request: ScoreRequest = { ...common, id, index: id, step, lane: 'primary', priority: 0, ...changes };
  const { lane, priority } = request;
  return { request, queue: new ScoreQueue(), urgency: { lane, priority }, sinceMs: 0, answered: false };
}

const limits: BatchLimits = { mixes: true, joins: false, paths: 8, tokens: 100 };
const take = (queue: ScoreQueue, changes: Partial<BatchLimits> = {}, size = 10): string[] =>
  queue
    .take({ ...limits, ...changes }, () => size)
    .map((path) => path.map(({ request }) => request.step.text).join(' > '));

describe('ScoreQueue', () => {
  it('fills a call over all searches, primary first, up to what one pass holds', () => {
    const queue = new ScoreQueue();
    queue.add(entry(1, 'spare', { lane: 'speculative', priority: 9 }));
    for (const [at, text] of ['a', 'b', 'c'].entries()) queue.add(entry(at + 2, text, { search: text }));
    queue.add(entry(9, 'urgent', { priority: 1 }));
    expect(take(queue, {}, 30)).toEqual(['urgent', 'a', 'b']);
    expect(take(queue, { paths: 1 })).toEqual(['c']);
    expect(take(queue, {}, 1000)).toEqual(['spare']);
    expect(take(queue)).toEqual([]);
  });

  it('keeps siblings together where a server takes no others, and lets no other search in between', () => {
    const queue = new ScoreQueue();
    for (const text of ['a', 'b']) queue.add(entry(1, text));
    queue.add(entry(2, 'x', { search: 'other' }));
    queue.add(entry(3, 'c'));
    expect(take(queue, { mixes: false })).toEqual(['a', 'b', 'c']);
    expect(take(queue, { mixes: false })).toEqual(['x']);
  });

  it('makes one work of twins, as urgent as the most urgent of them', () => {
    const queue = new ScoreQueue();
    queue.add(entry(1, 'other'));
    queue.add(entry(2, 'same', { lane: 'speculative' }));
    queue.add(entry(3, 'same', { priority: 5 }));
    const [[first], ...rest] = queue.take(limits, () => 1) as [[Work], ...Work[][]];
    expect(first.request.step.text).toBe('same');
    expect([...first.entries].map(({ request }) => request.id)).toEqual([2, 3]);
    expect(rest.length).toBe(1);
    // One that comes while the step is being scored joins it.
    queue.add(entry(4, 'same'));
    expect(first.entries.size).toBe(3);
    expect(queue.isEmpty).toBe(true);
    queue.finish(first);
    queue.add(entry(5, 'same'));
    expect(queue.isEmpty).toBe(false);
  });

  it('lets a step that has become wanted go first, and back again', () => {
    const queue = new ScoreQueue();
    const [spare, other] = [entry(1, 'spare', { lane: 'speculative' }), entry(2, 'other')];
    queue.add(spare);
    queue.add(other);
    queue.add(entry(3, 'third'));
    spare.urgency = { lane: 'primary', priority: 1 };
    queue.update(spare);
    other.urgency = { lane: 'speculative', priority: 0 };
    queue.update(other);
    expect(take(queue)).toEqual(['spare', 'third', 'other']);
    expect(queue.isEmpty).toBe(true);
  });

  it('joins a step with one of those that wait below it, whatever its lane, and leaves the others', () => {
    const queue = new ScoreQueue();
    const first = entry(1, 'first');
    const parent = nodeKey(0, first.request.step);
    queue.add(entry(2, 'second', { parent, lane: 'speculative' }));
    queue.add(entry(3, 'other second', { parent, lane: 'speculative' }));
    queue.add(entry(4, 'elsewhere', { parent, search: 'other' }));
    queue.add(first);
    expect(take(queue, { joins: true, tokens: 20 })).toEqual(['elsewhere', 'first > second']);
    expect(take(queue, { joins: true })).toEqual(['other second']);
    expect(queue.isEmpty).toBe(true);
  });

  it('takes over work of another queue, in its place and as one with what waits for the same step', () => {
    const [from, to] = [new ScoreQueue(), new ScoreQueue()];
    const [moved, twin] = [entry(1, 'moved'), entry(2, 'moved')];
    from.add(moved);
    to.add(twin);
    to.add(entry(3, 'other'));
    const [[work]] = from.take(limits, () => 10) as [[Work]];
    work.attempts = 2;
    to.adopt(work);
    expect([from.isEmpty, from.workOf(moved), moved.queue]).toEqual([true, undefined, to]);
    expect(to.workOf(moved)).toBe(to.workOf(twin));
    expect(take(to)).toEqual(['moved', 'other']);
    const alone = new ScoreQueue();
    alone.adopt(work);
    expect(alone.workOf(moved)).toMatchObject({ attempts: 2, order: work.order, waits: true });
  });

  it('passes over work that was finished or cancelled', () => {
    const queue = new ScoreQueue();
    const gone = entry(1, 'gone');
    queue.add(gone);
    queue.add(entry(2, 'kept'));
    const cancelled = entry(3, 'cancelled');
    queue.add(cancelled);
    queue.finish(queue.workOf(gone)!);
    expect(queue.forget(cancelled)?.request).toBe(cancelled.request);
    expect(take(queue)).toEqual(['kept']);
    expect(queue.isEmpty).toBe(true);
  });
});
