// Hand-worked costs of a strand, and what the width rules that read them grant.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cycleOf, roundMs, type Servers, stretchOf } from '../cost/closed-loop.ts';
import { gainWidths as rule } from './gain.ts';
import type { Seat } from './seat.ts';
import { withWaves } from './widths.ts';

function servers(engine: [number, number], verifier?: [number, number], perStrand = 1): Servers {
  const facts = ([baseMs, slopeMs]: [number, number]) => {
    const line = { baseMs, slopeMs };
    return { line, steady: line };
  };
  return { engine: facts(engine), ...(verifier && { verifier: facts(verifier) }), perStrand, overTime: perStrand };
}

function seat(id: string, observations = 1, cap = 16, changing?: number): Seat {
  const width = { primary: 1, speculative: 0 };
  const still = {
    naturalWidth: 1,
    demand: cap,
    rolloutsLeft: cap,
    progress: 0,
    changing,
    openStrands: 1,
    width,
  };
  return { id, base: 1, cap, open: 1, running: { id, arrivalMs: 0, observations, ...still } };
}

describe('one round of a child', () => {
  it('is the engine alone where nothing is scored', () => {
    expect(cycleOf(servers([10, 0.5], undefined, 4), 5)).toEqual({ stepMs: 20, scoreMs: 0 });
  });

  it('keeps the children where the time goes', () => {
    // Equal servers hold half each: 8 children, 4 and 4, 10 + 4 each.
    expect(roundMs(cycleOf(servers([10, 1], [10, 1]), 8))).toBeCloseTo(28, 9);
    // A verifier that scores one child at a time, in 5 ms: all but a few wait there, and the round is 5 ms a child.
    const { stepMs, scoreMs } = cycleOf(servers([10, 0], [0, 5]), 100);
    expect(stepMs).toBe(10);
    expect(roundMs({ stepMs, scoreMs })).toBeCloseTo(500, 6);
  });

  it('never gets shorter with more strands, and obeys the law it was made from', () => {
    const lines = fc.tuple(fc.double({ min: 0.1, max: 100, noNaN: true }), fc.double({ min: 0, max: 10, noNaN: true }));
    fc.assert(
      fc.property(lines, lines, fc.integer({ min: 1, max: 500 }), (engine, verifier, strands) => {
        const both = servers(engine, verifier);
        const cycle = cycleOf(both, strands);
        expect(roundMs(cycleOf(both, strands + 1))).toBeGreaterThanOrEqual(roundMs(cycle) * (1 - 1e-9));
        const atEngine = (strands * cycle.stepMs) / roundMs(cycle);
        expect(engine[0] + engine[1] * atEngine).toBeCloseTo(cycle.stepMs, 4);
      }),
    );
  });
});

describe('widths by gain', () => {
  const certain = (id: string) => seat(id, 1, 16, 0);
  const waiting = (id: string) => seat(id, 1, 1);

  it('are what gains a search as large a share of its speed as all searches lose, with the numbers that say so', () => {
    // Half of the rollouts change the answer: a second strand is a third of a search's work, a third one a seventh.
    const { widths, limit, facts } = rule([seat('a', 1, 16, 0.5)], 100, 1000, servers([10, 2]));
    // With three strands a round takes 16 instead of 14 ms, an eighth; with four 18, a ninth, for a fifteenth of the work.
    expect(widths).toEqual([3]);
    expect(limit).toBe(3);
    expect(facts).toMatchObject({ worth: 3, stepMs: 16, scoreMs: 0, unboostedMs: 12 });
  });

  it('are no bound of the waves of searches that weigh their next work: those samples are needed anyway', () => {
    const weighing = (id: string, cap: number, worth: number): Seat => {
      const plain = seat(id, 1, cap);
      return { ...plain, running: { ...plain.running!, worth } };
    };
    const seats = [weighing('a', 6, 2), weighing('b', 6, 5), seat('c', 1, 1)];
    const targets = rule(seats, 10, 1000, servers([10, 2]));
    expect([targets.widths, targets.limit]).toEqual([[1, 1, 1], 3]);
    expect(withWaves(targets, seats, 10).widths).toEqual([3, 6, 1]);
  });

  it('are all that a search alone can use where no rollout changes an answer, however long a round gets', () => {
    expect(rule([certain('a')], 16, 1000, servers([1, 10])).widths).toEqual([16]);
  });

  it('are all that is free where a strand costs nothing, and before anything was measured', () => {
    const pair = [seat('a', 1, 16, 0.9), seat('b')];
    expect(rule(pair, 100, 1000, servers([10, 0])).widths).toEqual([16, 16]);
    expect(rule(pair, 100, 1000, undefined).widths).toEqual([16, 16]);
  });

  it('are natural on a machine that is full, where each strand is taken from a search that is not boosted', () => {
    expect(rule([certain('a'), waiting('b')], 100, 1000, servers([0, 1])).widths).toEqual([1, 1]);
    // A verifier that scores one child at a time.
    expect(rule([certain('a'), waiting('b')], 100, 1000, servers([10, 0], [0, 5])).widths).toEqual([1, 1]);
  });

  it('are read from steady lines: that the load was even of late makes no strand free', () => {
    const { engine, ...rest } = servers([0, 1]);
    const even = { ...rest, engine: { ...engine, line: { baseMs: 500, slopeMs: 0 } } };
    expect(rule([certain('a'), waiting('b')], 100, 1000, even).widths).toEqual([1, 1]);
  });

  it('fall with the searches that run, with what a strand costs and with the rollouts that change answers', () => {
    const cost = fc.double({ min: 0, max: 5, noNaN: true });
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const limit = (slopeMs: number, others: number, changing: number) =>
      rule(
        [seat('a', 1, 64, changing), ...Array.from({ length: others }, (_, at) => waiting(`${at}`))],
        64,
        0,
        servers([10, slopeMs]),
      ).limit! - others;
    fc.assert(
      fc.property(cost, part, fc.integer({ min: 0, max: 30 }), (slopeMs, changing, others) => {
        const width = limit(slopeMs, others, changing);
        expect(limit(slopeMs, others + 1, changing)).toBeLessThanOrEqual(width);
        expect(limit(slopeMs, others, Math.min(1, changing + 0.1))).toBeLessThanOrEqual(width);
        expect(width).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('stretch the round of two alike by at most as much as they bring it more strands', () => {
    const { limit } = rule([certain('a'), certain('b')], 32, 0, servers([10, 1]));
    expect(stretchOf(servers([10, 1]), limit!)).toBeLessThanOrEqual(1);
  });
});
