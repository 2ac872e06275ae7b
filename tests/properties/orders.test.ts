// Orders between searches: what each promises, over random searches; that nobody starves; and that the engine is told.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runTrial, type TrialSpec, trialDefaults } from '../../lab/src/sim/trial.ts';
import { createScheduler } from '../../packages/core/src/policy/create.ts';
import { WorkMeter } from '../../packages/core/src/runtime/budget/work-meter.ts';
import type { RunningSearch } from '../../packages/core/src/scheduler/scheduler.ts';
import {
  lastUrgency,
  type OrderName,
  type OrderRule,
  orderNames,
  orderParts,
  prefixPriority,
  type QueueStanding,
  urgencyOf,
} from '../../packages/core/src/scheduler/turns/order.ts';
import { ageingSeconds } from '../../packages/core/src/scheduler/turns/weighted-fair-queueing.ts';

const [, , gang, sjf] = orderParts.map((part) => part.make({})) as [OrderRule, OrderRule, OrderRule, OrderRule];

const standings: fc.Arbitrary<QueueStanding> = fc.record({
  place: fc.double({ min: 0, max: 1e6, noNaN: true }),
  ageSeconds: fc.double({ min: 0, max: 1e5, noNaN: true }),
  priority: fc.integer({ min: -3, max: 3 }),
  workLeft: fc.double({ min: 1, max: 1e7, noNaN: true }),
});

describe('an order', () => {
  it('gang: goes by turns, whatever is left to do', () => {
    fc.assert(
      fc.property(standings, standings, (one, other) => {
        fc.pre(one.place < other.place);
        expect(urgencyOf(gang, one)).toBeGreaterThan(urgencyOf(gang, other));
      }),
    );
  });

  it('sjf: goes by what is left among those of one age and priority, and by age among those with as much left', () => {
    fc.assert(
      fc.property(standings, standings, (one, other) => {
        const twin = { ...other, ageSeconds: one.ageSeconds, priority: one.priority };
        fc.pre(one.workLeft! < 0.99 * twin.workLeft!);
        expect(urgencyOf(sjf, one)).toBeGreaterThan(urgencyOf(sjf, twin));
        const older = { ...one, ageSeconds: one.ageSeconds + ageingSeconds };
        expect(urgencyOf(sjf, older)).toBeGreaterThan(urgencyOf(sjf, one));
        expect(urgencyOf(sjf, { ...one, priority: one.priority + 1 })).toBeCloseTo(urgencyOf(sjf, older), 6);
      }),
    );
  });

  it('sjf: lets nobody be overtaken by a newcomer for longer than its ageing says', () => {
    fc.assert(
      fc.property(standings, standings, (long, short) => {
        fc.pre(long.workLeft! > short.workLeft! * 1.01);
        const patience = 10 * ageingSeconds * (long.workLeft! / short.workLeft! - 1);
        const at = (ageSeconds: number) => urgencyOf(sjf, { ...long, ageSeconds, priority: 0 });
        const newcomer = urgencyOf(sjf, { ...short, ageSeconds: 0, priority: 0 });
        expect(at(patience * 0.99 - 1e-9)).toBeLessThan(newcomer + 1e-6);
        expect(at(patience * 1.01)).toBeGreaterThan(newcomer);
      }),
    );
  });

  it('sjf: serves everyone under an overload of short searches that never ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 1, max: 4 }), (work, ageing) => {
        // A second of work a second; each second a newcomer brings as much, and one long search came first.
        const waiting = [{ since: 0, left: work, long: true }];
        for (let now = 0; ; now += 1) {
          // The bound: until it goes before all newcomers, who age as well while it is served.
          expect(now).toBeLessThan(40 * ageing * work + work * work + 4 * work + 10);
          waiting.push({ since: now, left: 1, long: false });
          const urgency = ({ since, left }: { since: number; left: number }) =>
            urgencyOf(sjf, {
              place: since,
              ageSeconds: ((now - since) * ageingSeconds) / ageing,
              priority: 0,
              workLeft: 100 * left,
            });
          const next = waiting.reduce((best, each) => (urgency(each) > urgency(best) ? each : best));
          next.left -= 1;
          if (next.left > 0) continue;
          if (next.long) return;
          waiting.splice(waiting.indexOf(next), 1);
        }
      }),
    );
  });

  it('puts what nobody waits for behind everyone, and priorities before prefixes', () => {
    fc.assert(
      fc.property(standings, (standing) => {
        for (const order of [gang, sjf]) {
          expect(urgencyOf(order, { ...standing, idle: true })).toBe(lastUrgency);
        }
        expect(urgencyOf(sjf, standing)).toBeGreaterThan(lastUrgency);
      }),
    );
    expect(prefixPriority(1, 0)).toBeGreaterThan(prefixPriority(0, 1e9));
    expect(prefixPriority(0, 20)).toBeGreaterThan(prefixPriority(0, 10));
  });

  it('is part of every decision where it goes by searches, and of none where it is the engine’s', () => {
    const running = (id: string, standing: QueueStanding): RunningSearch => {
      const width = { primary: 1, speculative: 0 };
      const facts = { naturalWidth: 1, demand: 1, openStrands: 1, width, rolloutsLeft: 4, observations: 0 };
      return { id, arrivalMs: 0, ...facts, progress: 0, standing };
    };
    const standing = { place: 1, ageSeconds: 1, priority: 0, workLeft: 100 };
    const searches = [running('short', standing), running('long', { ...standing, place: 0, workLeft: 900 })];
    const snapshot = { nowMs: 1000, budget: 8, waiting: [], running: searches };
    const first = (order: OrderName) => {
      const { urgencies } = createScheduler('vanilla', { order }).decide(snapshot);
      return urgencies && [...urgencies].sort(([, a], [, b]) => b - a).map(([id]) => id)[0];
    };
    expect(orderNames.map(first)).toEqual([undefined, undefined, 'long', 'short']);
  });
});

it('expects of a search with longer steps or paths than usual that more is left of it', () => {
  const meter = new WorkMeter();
  const usual = { seconds: 1, tokens: 1000, steps: 100, rollouts: 10, pathTokens: 100 };
  const fresh = { tokens: 0, steps: 0, rollouts: 0, paths: 0, pathTokens: 0, rolloutsLeft: 10 };
  expect(meter.left('mcts 10', { ...fresh, tokens: 400, steps: 4 })).toBeGreaterThan(meter.left('mcts 10', fresh));
  meter.ended('mcts 10', usual);
  expect(meter.left('mcts 10', fresh)).toBeCloseTo(1000, 6);
  const half = { ...fresh, tokens: 500, steps: 50, rollouts: 5, paths: 5, pathTokens: 100, rolloutsLeft: 5 };
  expect(meter.left('mcts 10', half)).toBeCloseTo(500, 6);
  expect(meter.left('mcts 10', { ...fresh, tokens: 100, steps: 2 })).toBeGreaterThan(1500);
  expect(meter.left('mcts 10', { ...half, tokens: 1000, pathTokens: 200 })).toBeGreaterThan(500);
  expect(meter.left('mcts 10', { ...half, tokens: 1e6 })).toBeGreaterThan(0);
  expect(meter.left('mcts 10', { ...fresh, rolloutsLeft: 1 })).toBeCloseTo(100, 6);
});

it('is obeyed by the engine: shortest first ends more of a crowd early, and everyone in the end', () => {
  const run = (order: OrderName) => {
    const spec: TrialSpec = {
      ...trialDefaults,
      setting: 'math500/8b',
      seed: 5,
      requests: 60,
      rollouts: 20,
      budget: 100_000,
      arrivals: { kind: 'rate', perSecond: 100 },
      profile: { lengthSpread: 1 },
      contender: { program: 'self-consistency', policy: 'vanilla', knobs: { order, stepTokens: 4096 } },
    };
    const ends = runTrial(spec).served.map(({ endedMs }) => endedMs);
    return { ends, mean: ends.reduce((sum, each) => sum + each, 0) / ends.length };
  };
  const [asTheyCome, together, shortest] = [run('fcfs'), run('gang'), run('sjf')];
  // They come all but at once: under gang the first ones end early, under fcfs hardly anyone does.
  const early = ({ ends }: typeof together) => ends.slice(0, 20).reduce((sum, each) => sum + each, 0);
  expect(early(together)).toBeLessThan(0.9 * early(asTheyCome));
  expect(shortest.mean).toBeLessThan(0.98 * together.mean);
  expect(shortest.ends.every(Number.isFinite)).toBe(true);
});
