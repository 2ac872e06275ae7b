import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUrgency, type GenerateRequest, type Lane } from '../../engine.ts';
import { childOf, type Job, JobQueue } from './queue.ts';

let order = 0;
function job(lane: Lane, priority: number, siblings = 1): Job {
  order += 1;
  const children = Array.from({ length: siblings }, () => childOf({ lane, priority } as GenerateRequest));
  return { children, search: 's', order, sinceMs: 0, attempts: 0 };
}

describe('JobQueue', () => {
  it('gives primary work first, then by priority, then by arrival, whatever is cancelled', () => {
    const wish = fc.record({
      lane: fc.constantFrom<Lane>('primary', 'speculative'),
      priority: fc.integer({ min: -2, max: 2 }),
      cancelled: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(wish), (wishes) => {
        const queue = new JobQueue();
        const jobs = wishes.map(({ lane, priority }) => job(lane, priority));
        for (const each of jobs) queue.push(each);
        wishes.forEach(({ cancelled }, at) => {
          if (!cancelled) return;
          jobs[at]!.children[0]!.answered = true;
          queue.forget(jobs[at]!);
        });
        const kept = jobs.filter((_, at) => !wishes[at]!.cancelled);
        expect(queue.sequences).toBe(kept.length);
        const expected = kept.toSorted(
          (a, b) => compareUrgency(a.children[0]!.urgency, b.children[0]!.urgency) || a.order - b.order,
        );
        const popped: Job[] = [];
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) popped.push(next);
        expect(popped).toEqual(expected);
        expect(queue.sequences).toBe(0);
      }),
    );
  });

  it('moves what has become more or less urgent, and nothing else', () => {
    const urgency = fc.record({
      lane: fc.constantFrom<Lane>('primary', 'speculative'),
      priority: fc.integer({ min: -2, max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(urgency, urgency), { minLength: 1 }), (changes) => {
        const queue = new JobQueue();
        const jobs = changes.map(([{ lane, priority }]) => job(lane, priority));
        for (const each of jobs) queue.push(each);
        changes.forEach(([, after], at) => {
          jobs[at]!.children[0]!.urgency = after;
          queue.update(jobs[at]!);
        });
        const expected = jobs.toSorted(
          (a, b) => compareUrgency(a.children[0]!.urgency, b.children[0]!.urgency) || a.order - b.order,
        );
        expect(jobs.map(() => queue.pop())).toEqual(expected);
        expect(queue.pop()).toBeUndefined();
        expect(queue.sequences).toBe(0);
      }),
    );
  });

  it('counts the sequences of shared requests one by one', () => {
    const queue = new JobQueue();
    const shared = job('primary', 0, 3);
    queue.push(shared);
    shared.children[1]!.answered = true;
    queue.forget(shared);
    expect(queue.sequences).toBe(2);
    expect(queue.pop()).toBe(shared);
    expect(queue.sequences).toBe(0);
  });
});
