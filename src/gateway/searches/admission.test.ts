import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../http/api-error.ts';
import { Admission, type Ticket } from './admission.ts';

function ticket(id: string, given: Partial<Ticket> = {}): Ticket {
  return { id, model: 'm', owner: 'ann', share: 1, priority: 0, width: 1, arrivalMs: 0, ...given };
}

function admission(budget: number, queue = 1000): Admission {
  return new Admission({
    queue,
    budgets: new Map([
      ['m', budget],
      ['n', budget],
    ]),
  });
}

/** Starts one after the other, each ending before the next begins: the order in which tickets come out. */
function order(stand: Admission, nowMs = 0): string[] {
  const ids: string[] = [];
  for (let started = stand.start(nowMs); started.length > 0; started = stand.start(nowMs)) {
    for (const { id } of started) {
      ids.push(id);
      stand.leave(id, nowMs);
    }
  }
  return ids;
}

describe('admission', () => {
  test('never starts more than the budget, except one search that is wider than all of it', () => {
    const stand = admission(4);
    for (const id of ['a', 'b', 'c']) stand.enter(ticket(id, { width: 2 }));
    expect(stand.start(0).map(({ id }) => id)).toEqual(['a', 'b']);
    stand.leave('a', 0);
    stand.leave('b', 0);
    stand.enter(ticket('wide', { width: 9, priority: 1 }));
    expect(stand.start(0).map(({ id }) => id)).toEqual(['wide']);
    stand.leave('wide', 0);
    expect(stand.start(0).map(({ id }) => id)).toEqual(['c']);
  });

  test('models do not share their budgets', () => {
    const stand = admission(1);
    stand.enter(ticket('a'));
    stand.enter(ticket('b', { model: 'n' }));
    expect(stand.start(0)).toHaveLength(2);
  });

  test('starts are shared by weight between keys that wait', () => {
    const stand = admission(1);
    for (let at = 0; at < 40; at += 1) {
      stand.enter(ticket(`a${at}`, { owner: 'ann', share: 3 }));
      stand.enter(ticket(`b${at}`, { owner: 'bob', share: 1 }));
    }
    const first = order(stand).slice(0, 20);
    expect(first.filter((id) => id.startsWith('a'))).toHaveLength(15);
  });

  test('a key that was away has not saved up', () => {
    const stand = admission(1);
    for (let at = 0; at < 20; at += 1) stand.enter(ticket(`a${at}`, { owner: 'ann' }));
    for (let at = 0; at < 10; at += 1) for (const { id } of stand.start(0)) stand.leave(id, 0);
    for (let at = 0; at < 10; at += 1) stand.enter(ticket(`b${at}`, { owner: 'bob' }));
    const next = order(stand).slice(0, 10);
    expect(next.filter((id) => id.startsWith('b'))).toHaveLength(5);
  });

  test('priority goes first, and age makes up for it', () => {
    const stand = admission(1);
    stand.enter(ticket('old', { priority: 0, arrivalMs: 0 }));
    stand.enter(ticket('high', { priority: 2, arrivalMs: 179_000 }));
    stand.enter(ticket('low', { priority: -1, arrivalMs: 179_000 }));
    expect(order(stand, 180_000)).toEqual(['old', 'high', 'low']);
    stand.enter(ticket('old', { priority: 0, arrivalMs: 0 }));
    stand.enter(ticket('high', { priority: 2, arrivalMs: 59_000 }));
    expect(order(stand, 60_000)).toEqual(['high', 'old']);
  });

  test('places that are held count, per queue and per key', () => {
    const stand = admission(1, 2);
    stand.enter(ticket('running'));
    stand.start(0);
    const give = stand.reserve(ticket('a'), 5, 0);
    stand.enter(ticket('b'));
    expect(() => stand.reserve(ticket('c'), 5, 0)).toThrowError(ApiError);
    give();
    expect(() => stand.reserve(ticket('d'), 1, 0)).toThrowError(/its limit/);
    expect(() => stand.reserve(ticket('e', { owner: 'bob' }), 1, 0)).not.toThrow();
  });

  test('whatever comes and goes, all that entered start or leave, and the budget holds', () => {
    const move = fc.record({
      kind: fc.constantFrom('enter', 'enter', 'start', 'leave' as const),
      owner: fc.constantFrom('ann', 'bob', 'cat'),
      priority: fc.integer({ min: -2, max: 2 }),
      width: fc.integer({ min: 1, max: 6 }),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 80 }), fc.integer({ min: 1, max: 8 }), (moves, budget) => {
        const stand = admission(budget);
        const running = new Map<string, number>();
        const waiting = new Set<string>();
        moves.forEach(({ kind, owner, priority, width, pick }, at) => {
          if (kind === 'enter') {
            stand.enter(ticket(String(at), { owner, priority, width, arrivalMs: at }));
            waiting.add(String(at));
          } else if (kind === 'start') {
            for (const each of stand.start(at)) {
              expect(waiting.delete(each.id)).toBe(true);
              running.set(each.id, each.width);
            }
          } else {
            const all = [...running.keys(), ...waiting];
            const id = all[pick % Math.max(1, all.length)];
            if (id === undefined) return;
            running.delete(id);
            waiting.delete(id);
            stand.leave(id, at);
          }
          const used = [...running.values()].reduce((sum, each) => sum + each, 0);
          expect(used <= budget || running.size === 1).toBe(true);
          expect([stand.waiting, stand.running]).toEqual([waiting.size, running.size]);
        });
        for (const id of running.keys()) stand.leave(id, 0);
        expect(order(stand).sort()).toEqual([...waiting].sort());
      }),
    );
  });

  test('the time to come back follows the rate at which searches end', () => {
    const stand = admission(1);
    expect(stand.retryAfterSeconds(0)).toBe(10);
    for (let at = 0; at < 100; at += 1) {
      stand.enter(ticket(`r${at}`));
      stand.start(at * 100);
      stand.leave(`r${at}`, at * 100);
    }
    for (let at = 0; at < 50; at += 1) stand.enter(ticket(`w${at}`));
    expect(stand.retryAfterSeconds(10_000)).toBe(6);
  });
});
