// Hand-worked turns, and the line that they come from.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnLine, turnOf } from './weighted-fair-queueing.ts';

const facts = { arrivalMs: 0, priority: 0, seats: 1 };
const ann = { name: 'ann', share: 3 };
const bob = { name: 'bob', share: 1 };

describe('a turn', () => {
  it('is the arrival in seconds, where no keys share the line', () => {
    expect(turnOf({ arrivalMs: 5000, priority: 0 })).toEqual({ turn: 5, finish: 5 });
  });

  it('weighs priority against waiting: one unit is worth a minute', () => {
    const early = turnOf({ arrivalMs: 0, priority: 0 }).turn;
    expect(turnOf({ arrivalMs: 59_000, priority: 1 }).turn).toBeLessThan(early);
    expect(turnOf({ arrivalMs: 61_000, priority: 1 }).turn).toBeGreaterThan(early);
  });

  it('begins where the line stands, or where the last of its key ends, and lasts its work over its share', () => {
    const at = (serving: number | undefined, last: number | undefined, workSeconds = 1) =>
      turnOf({ arrivalMs: 100_000, priority: 0, key: { share: 4, serving, last }, workSeconds }).turn;
    expect(at(undefined, undefined)).toBe(100.25);
    expect(at(40, undefined)).toBe(40.25);
    expect(at(40, 47)).toBe(47.25);
    expect(at(40, 30, 8)).toBe(42);
  });
});

describe('a turn of a session', () => {
  const at = (arrivalMs: number, session?: { sinceMs: number; seconds: number; overSeconds?: number }) =>
    turnOf({ arrivalMs, priority: 0, session }).turn;

  it('stands where its session began, so that what was begun goes before what begins', () => {
    expect(at(90_000, { sinceMs: 5000, seconds: 40 })).toBe(5);
    expect(at(90_000, { sinceMs: 90_000, seconds: 0 })).toBe(90);
  });

  it('goes by what its session was served, beyond the part of each: least first, and none for ever behind', () => {
    const served = (overSeconds: number) => at(90_000, { sinceMs: 5000, seconds: 99, overSeconds });
    expect([served(1), served(2)]).toEqual([21, 37]);
    expect(served(1e9)).toBe(690);
  });

  it('gains at most an hour by its age: a name that is never given up is no way past everyone', () => {
    expect(at(9e9, { sinceMs: 0, seconds: 0 })).toBe(9e6 - 3600);
  });
});

/** The order in which a line is served, one after the other. */
function served(line: TurnLine, turns: Map<string, number>, most = Number.POSITIVE_INFINITY): string[] {
  const order: string[] = [];
  while (turns.size > 0 && order.length < most) {
    const [next] = [...turns].reduce((a, b) => (b[1] < a[1] ? b : a));
    turns.delete(next);
    line.serve(next);
    order.push(next);
  }
  return order;
}

describe('a line', () => {
  it('is shared by weight between keys that wait', () => {
    const line = new TurnLine();
    const turns = new Map<string, number>();
    for (let at = 0; at < 40; at += 1) {
      for (const key of [ann, bob]) turns.set(`${key.name}${at}`, line.take(`${key.name}${at}`, { ...facts, key }));
    }
    const first = served(line, turns, 20);
    expect(first.filter((id) => id.startsWith('ann'))).toHaveLength(15);
  });

  it('serves a due turn of a session before what its own key has waiting', () => {
    const line = new TurnLine();
    const turns = new Map<string, number>();
    for (let at = 0; at < 6; at += 1)
      turns.set(`new${at}`, line.take(`new${at}`, { ...facts, arrivalMs: 9000, key: bob }));
    const session = { sinceMs: 0, seconds: 3 };
    turns.set('due', line.take('due', { ...facts, arrivalMs: 9000, key: bob, session }));
    turns.set(
      'over',
      line.take('over', { ...facts, arrivalMs: 9000, key: bob, session: { ...session, overSeconds: 1 } }),
    );
    expect(served(line, turns)).toEqual(['new0', 'due', 'new1', 'new2', 'new3', 'new4', 'new5', 'over']);
  });

  it('gives a key no more for naming sessions: what went before is missing behind', () => {
    const line = new TurnLine();
    const turns = new Map<string, number>();
    const session = { sinceMs: 0, seconds: 3 };
    const take = (id: string, more: object) => turns.set(id, line.take(id, { ...facts, arrivalMs: 9000, ...more }));
    for (let at = 0; at < 100; at += 1) {
      take(`bob${at}`, { key: bob });
      if (at % 2 === 0) take(`carl${at}`, { key: { name: 'carl', share: 1 } });
      else take(`carl${at}`, { key: { name: 'carl', share: 1 }, session: { ...session, sinceMs: at } });
    }
    const order = served(line, turns);
    const carls = (to: number) => order.slice(0, to).filter((id) => id.startsWith('carl')).length;
    // Half of it in the end, and meanwhile what its turns gain its other requests have lost.
    expect(carls(160)).toBeGreaterThan(75);
    for (const to of [20, 60, 100, 140]) expect(carls(to)).toBeLessThanOrEqual(0.6 * to + 2);
  });

  it('keeps nothing of a hundred thousand sessions', () => {
    const line = new TurnLine();
    for (let at = 0; at < 100_000; at += 1) {
      const session = { sinceMs: at, seconds: 1 };
      line.take(`t${at}`, { ...facts, arrivalMs: at + 1, key: bob, session });
      line.serve(`t${at}`);
    }
    expect(line.seats).toBe(0);
    expect(line.turnFor({ ...facts, arrivalMs: 5000, key: bob })).toBe(6);
  });

  it('lets a key that was away save nothing up, and one that flooded it owe nothing', () => {
    const line = new TurnLine();
    const turns = new Map<string, number>();
    const carl = { name: 'carl', share: 1 };
    const enter = (name: string, key: typeof bob, arrivalMs: number) =>
      turns.set(name, line.take(name, { ...facts, arrivalMs, key }));
    for (let at = 0; at < 20; at += 1) enter(`carl${at}`, carl, 0);
    served(line, turns, 10);
    // An hour later by the clock, ten searches later by the line.
    for (let at = 0; at < 10; at += 1) enter(`bob${at}`, bob, 3_600_000);
    const next = served(line, turns, 10);
    expect(next.filter((id) => id.startsWith('bob'))).toHaveLength(5);
    served(line, turns);
    enter('late', carl, 3_700_000);
    enter('later', bob, 3_700_000);
    expect(served(line, turns)).toEqual(['late', 'later']);
  });

  it('keeps a turn that was given before a restart, and goes on behind it', () => {
    const line = new TurnLine();
    line.take('old', { ...facts, priority: 2, key: bob, turn: 880 });
    expect(line.turn('old')).toBe(880);
    expect(line.take('new', { ...facts, arrivalMs: 1e6, key: bob })).toBe(1001);
  });

  it('counts the strands of those who go before', () => {
    const line = new TurnLine();
    line.take('wide', { ...facts, seats: 4 });
    line.take('late', { ...facts, arrivalMs: 9000, seats: 2 });
    expect([line.seatsBefore(-1), line.seatsBefore(0), line.seatsBefore(9)]).toEqual([0, 4, 6]);
    line.leave('wide');
    expect(line.seats).toBe(2);
  });
});

describe('no search starves', () => {
  it('whatever comes after it, with shares and priorities: a search is overtaken by a bounded number', () => {
    const comer = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      share: fc.constantFrom(0.5, 1, 4),
      priority: fc.integer({ min: 0, max: 2 }),
      gapMs: fc.nat(2000),
    });
    fc.assert(
      fc.property(fc.array(comer, { minLength: 1, maxLength: 6 }), (comers) => {
        // One is served each time another comes; the same comers come again and again, for ever.
        const line = new TurnLine();
        const low = line.take('low', { ...facts, key: { name: 'low', share: 0.5 } });
        const turns = new Map([['low', low]]);
        let nowMs = 0;
        let count = 0;
        for (; turns.has('low') && count < 2000; count += 1) {
          const { name, share, priority, gapMs } = comers[count % comers.length]!;
          nowMs += gapMs;
          turns.set(`${count}`, line.take(`${count}`, { arrivalMs: nowMs, priority, seats: 1, key: { name, share } }));
          served(line, turns, 1);
        }
        // Two units of priority are worth 120 s, its own work 2 s: at a share of 4 and one second each, 4 · 122 per key.
        expect(count).toBeLessThanOrEqual(4 * 4 * 122 + 8);
      }),
      { numRuns: 100 },
    );
  });
});
