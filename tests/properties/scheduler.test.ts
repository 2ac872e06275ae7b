// What every decision of every scheduler must keep, over random snapshots; and what holds from one decision to the next.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boostingRoom, preemptEagerly } from '../../lab/src/lost/algorithm-1-letter.ts';
import { evenly } from '../../packages/core/src/base/arithmetic.ts';
import type { Servers } from '../../packages/core/src/cost/closed-loop.ts';
import { createPolicy, createScheduler } from '../../packages/core/src/policy/create.ts';
import type {
  Decision,
  RunningSearch,
  Scheduler,
  Snapshot,
  WaitingSearch,
} from '../../packages/core/src/scheduler/scheduler.ts';
import { naturalSeats } from '../../packages/core/src/scheduler/seat.ts';
import { TurnLine, turnOf } from '../../packages/core/src/scheduler/turns/weighted-fair-queueing.ts';

const schedulers = fc
  .record({
    name: fc.constantFrom('vanilla' as const, 'boost' as const, 'taper' as const, 'safe' as const),
    first: fc.constantFrom('admit' as const, 'boost' as const),
    preemption: fc.constantFrom('needed' as const, 'eager' as const),
    gate: fc.nat(3),
    speculate: fc.constantFrom(0, 1, 5),
  })
  .map(({ name, first, preemption, ...options }) => {
    // Two seams for experiments: whatever sits there, the budget holds.
    const room = first === 'boost' ? { room: boostingRoom } : {};
    const seams = preemption === 'eager' ? { ...room, preempt: preemptEagerly } : room;
    return { scheduler: createScheduler(name, options, {}, seams), preemption };
  });

interface Draw {
  readonly naturalWidth: number;
  readonly demand: number;
  readonly open: number;
  readonly observations: number;
  readonly progress: number;
  readonly arrivalMs: number;
  readonly priority: number;
  readonly capacity: number;
}

const draws: fc.Arbitrary<Draw> = fc.record({
  naturalWidth: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 12 })),
  demand: fc.integer({ min: 1, max: 32 }),
  open: fc.nat(12),
  observations: fc.nat(5),
  progress: fc.double({ min: 0, max: 1.2, noNaN: true }),
  arrivalMs: fc.nat(100_000),
  priority: fc.integer({ min: -3, max: 3 }),
  capacity: fc.nat(9),
});

/** Only snapshots that can come to be: natural widths that were let in together, no more strands open than there are. */
function snapshotOf(budget: number, running: readonly Draw[], waiting: readonly Draw[]): Snapshot {
  let room = budget;
  let free = budget;
  const admitted: RunningSearch[] = [];
  for (const [at, draw] of running.entries()) {
    const natural = Math.min(draw.naturalWidth, budget);
    if (natural > room) continue;
    room -= natural;
    const openStrands = Math.min(draw.open, free);
    free -= openStrands;
    const { arrivalMs, observations, progress, naturalWidth } = draw;
    const width = { primary: openStrands, speculative: 0 };
    const known = { arrivalMs, observations, progress, naturalWidth, openStrands, width };
    const demand = Math.max(draw.demand, openStrands);
    const { capacity } = draw;
    const guesses = { capacity, open: Math.min(capacity, 2), made: 8, right: draw.observations, kvTokens: 1000 };
    admitted.push({ id: `r${at}`, ...known, guesses, demand, rolloutsLeft: demand });
  }
  const queue = waiting.map(({ arrivalMs, priority, naturalWidth }, at): WaitingSearch => {
    return { id: `w${at}`, turn: turnOf({ arrivalMs, priority }).turn, naturalWidth };
  });
  const guessing = { chances: [0.7, 0.5, 0.4], squeezed: false };
  return { nowMs: 100_000, budget, waiting: queue, running: admitted, guessing };
}

const line = fc.record({
  baseMs: fc.double({ min: 0, max: 100, noNaN: true }),
  slopeMs: fc.double({ min: 0, max: 20, noNaN: true }),
});
const lines = fc.record({ inFlight: fc.nat(50), line, steady: line });
const measured: fc.Arbitrary<Servers> = fc
  .record({
    engine: lines,
    verifier: fc.option(lines),
    perStrand: fc.double({ min: 0.1, max: 8, noNaN: true }),
    overTime: fc.double({ min: 0.1, max: 8, noNaN: true }),
  })
  .map(({ verifier, ...servers }) => (verifier === null ? servers : { ...servers, verifier }));

const snapshots = fc
  .tuple(
    fc.integer({ min: 1, max: 40 }),
    fc.array(draws, { maxLength: 20 }),
    fc.array(draws, { maxLength: 10 }),
    fc.option(measured),
  )
  .map(([budget, running, waiting, servers]) => {
    const snapshot = snapshotOf(budget, running, waiting);
    return servers === null ? snapshot : { ...snapshot, servers };
  });

function whenDecided(check: (s: Snapshot, d: Decision, scheduler: Scheduler & { eager: boolean }) => void): void {
  fc.assert(
    fc.property(schedulers, snapshots, ({ scheduler, preemption }, snapshot) => {
      const decision = scheduler.decide(snapshot);
      check(snapshot, decision, { ...scheduler, eager: preemption === 'eager' });
    }),
    { numRuns: 1000 },
  );
}

const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
const width = ({ widths }: Decision, id: string) => widths.get(id)!.primary;
const taken = ({ preempt }: Decision, id: string) => preempt.get(id) ?? 0;

describe('every decision', () => {
  it('gives everyone who runs at least one strand, and no more than the budget in all', () => {
    whenDecided(({ budget, running }, decision) => {
      const ids = [...running.map(({ id }) => id), ...decision.admit];
      expect([...decision.widths.keys()]).toEqual(ids);
      for (const { primary, speculative } of decision.widths.values()) {
        expect(Number.isInteger(primary) && primary >= 1).toBe(true);
        expect(Number.isInteger(speculative) && speculative >= 0).toBe(true);
      }
      expect(total(ids.map((id) => width(decision, id)))).toBeLessThanOrEqual(budget);
    });
  });

  it('lets nobody open a strand that another still holds', () => {
    whenDecided(({ budget, running }, decision) => {
      const held = running.map((each) =>
        Math.max(each.openStrands - taken(decision, each.id), width(decision, each.id)),
      );
      const admitted = decision.admit.map((id) => width(decision, id));
      const ahead = Array.from(decision.widths.values(), ({ speculative }) => speculative);
      expect(total(held) + total(admitted) + total(ahead)).toBeLessThanOrEqual(budget);
    });
  });

  it('admits a beginning of the queue that fits by natural width, each at that width', () => {
    whenDecided(({ budget, running, waiting }, decision) => {
      const natural = new Map([...running, ...waiting].map((each) => [each.id, naturalSeats(each, budget)]));
      const inside = [...running.map(({ id }) => id), ...decision.admit];
      expect(total(inside.map((id) => natural.get(id)!))).toBeLessThanOrEqual(budget);
      for (const id of decision.admit) expect(width(decision, id)).toBe(natural.get(id));
      const key = ({ turn }: WaitingSearch) => turn;
      const admitted = waiting.filter(({ id }) => decision.admit.includes(id));
      const left = waiting.filter(({ id }) => !decision.admit.includes(id));
      const last = Math.max(...admitted.map(key));
      for (const each of left) expect(key(each)).toBeGreaterThanOrEqual(last);
    });
  });

  it('gives nobody more than it can use', () => {
    whenDecided(({ running }, decision) => {
      for (const { id, demand, naturalWidth } of running) {
        expect(width(decision, id)).toBeLessThanOrEqual(Math.max(demand, 1));
        if (demand <= naturalWidth) expect(width(decision, id)).toBeLessThanOrEqual(naturalWidth);
      }
    });
  });

  it('takes back exactly what is missing, and only from those above their width', () => {
    whenDecided(({ budget, running }, decision, { eager }) => {
      for (const { id, openStrands } of running) {
        const surplus = Math.max(0, openStrands - width(decision, id));
        expect(taken(decision, id)).toBeLessThanOrEqual(surplus);
        if (eager) expect(taken(decision, id)).toBe(surplus);
      }
      if (eager) return;
      const base = ({ naturalWidth, demand }: RunningSearch) => Math.min(naturalWidth, demand, budget);
      const short = total(running.map((each) => Math.max(0, base(each) - each.openStrands)));
      const arrivals = total(decision.admit.map((id) => width(decision, id)));
      const free = budget - total(running.map(({ openStrands }) => openStrands));
      expect(total(decision.preempt.values())).toBe(Math.max(0, short + arrivals - free));
    });
  });

  it('says why, in numbers, for all whose width changes or who give strands up, and for nobody else', () => {
    whenDecided(({ running }, decision) => {
      const before = new Map(running.map((each) => [each.id, each.width]));
      for (const [id, now] of decision.widths) {
        const [was, reason] = [before.get(id), decision.reasons.get(id)];
        const isSame = was?.primary === now.primary && was.speculative === now.speculative;
        expect(reason === undefined).toBe(isSame && taken(decision, id) === 0);
        for (const [name, value] of Object.entries(reason ?? {})) {
          expect(name === 'rule' ? typeof value : Number.isFinite(value)).toBe(name === 'rule' ? 'string' : true);
        }
      }
    });
  });

  it('is the same for the same snapshot', () => {
    whenDecided((snapshot, decision, scheduler) => {
      expect(scheduler.decide(structuredClone(snapshot))).toEqual(decision);
    });
  });
});

describe('from decision to decision', () => {
  const boost = createPolicy('boost').scheduler;

  it('leaves no strand idle that a search past the gate could use', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const { budget, running } = snapshot;
        const decision = boost.decide({ ...snapshot, waiting: [] });
        const used = running.map((each) => Math.max(each.openStrands, width(decision, each.id)));
        const hungry = running.some(
          (each) => each.observations >= 1 && width(decision, each.id) < Math.min(each.demand, budget),
        );
        if (total(used) < budget) expect(hungry).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('starves nobody: a low priority is overtaken only by those who came within its ageing time', () => {
    // One strand, one search served per second, and a stream of higher priority that never ends.
    const { scheduler } = createPolicy('vanilla');
    const line = new TurnLine();
    const enter = (id: string, arrivalMs: number, priority: number): WaitingSearch => {
      return { id, turn: line.take(id, { arrivalMs, priority, seats: 1 }), naturalWidth: 1 };
    };
    const low = enter('low', 0, 0);
    let queue = [low];
    let second = 0;
    for (; queue.includes(low) && second < 300; second += 1) {
      queue.push(enter(`high${second}`, second * 1000, 3));
      const { admit } = scheduler.decide({ nowMs: second * 1000, budget: 1, waiting: queue, running: [] });
      queue = queue.filter(({ id }) => !admit.includes(id));
    }
    expect(second).toBe(181);
  });
});

describe('evenly', () => {
  it('gives what dealing one at a time in turn would give', () => {
    const rooms = fc.array(fc.nat(9), { maxLength: 8 });
    fc.assert(
      fc.property(rooms, fc.nat(60), (room, units) => {
        expect(evenly(room, units)).toEqual(dealt(room, units));
      }),
    );
  });
});

function dealt(rooms: readonly number[], units: number): number[] {
  const given = rooms.map(() => 0);
  for (let left = units; left > 0; ) {
    const before = left;
    rooms.forEach((room, at) => {
      if (left === 0 || given[at]! >= room) return;
      given[at]! += 1;
      left -= 1;
    });
    if (left === before) break;
  }
  return given;
}
