import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareUrgency, type Lane } from './engine.ts';
import { UrgencyQueue } from './urgency-queue.ts';

it('gives the most urgent first, then the lowest number, then the first to come, whatever is moved or deleted', () => {
  const urgency = fc.record({
    lane: fc.constantFrom<Lane>('primary', 'speculative'),
    priority: fc.integer({ min: -1, max: 1 }),
  });
  const wish = fc.record({
    urgency,
    order: fc.integer({ min: 0, max: 2 }),
    moved: fc.option(urgency),
    gone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(wish), (wishes) => {
      const queue = new UrgencyQueue<number, string>();
      for (const [key, each] of wishes.entries()) queue.set(key, `${key}`, each.urgency, each.order);
      for (const [key, { moved, order }] of wishes.entries()) if (moved) queue.set(key, `${key}`, moved, order);
      for (const [key, { gone }] of wishes.entries()) if (gone) expect(queue.delete(key)).toBe(`${key}`);
      const expected = wishes
        .map((each, key) => ({ ...each, urgency: each.moved ?? each.urgency, item: `${key}` }))
        .filter(({ gone }) => !gone)
        .sort((a, b) => compareUrgency(a.urgency, b.urgency) || a.order - b.order)
        .map(({ item }) => item);
      expect([...queue.inOrder()]).toEqual(expected);
      expect(expected.map(() => queue.pop())).toEqual(expected);
      expect([queue.size, queue.pop(), queue.delete(0)]).toEqual([0, undefined, undefined]);
    }),
  );
});
