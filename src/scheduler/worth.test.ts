// Hand-worked costs of a strand, and what the width rules that read them grant.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cycleOf, roundMs, type Servers, worthwhileStrands } from './cycle.ts';
import type { Seat } from './seat.ts';
import { slackWidths, worthWidths } from './worth.ts';

function servers(engine: [number, number], verifier?: [number, number], perStrand = 1): Servers {
  const facts = ([baseMs, slopeMs]: [number, number]) => {
    const line = { baseMs, slopeMs };
    return { inFlight: 0, line, steady: line };
  };
  return { engine: facts(engine), ...(verifier && { verifier: facts(verifier) }), perStrand, overTime: perStrand };
}

function seat(id: string, observations = 1, cap = 16): Seat {
  const width = { primary: 1, speculative: 0 };
  const still = {
    naturalWidth: 1,
    demand: cap,
    rolloutsLeft: cap,
    progress: 0,
    openStrands: 1,
    width,
  };
  return { id, base: 1, cap, open: 1, running: { id, arrivalMs: 0, observations, ...still } };
}

const share = { gate: 1, boostAt: 'start' } as const;

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

describe('the last worthwhile strand', () => {
  it('is where a straight line takes twice as long as alone, at an elasticity of a half', () => {
    expect(worthwhileStrands(servers([8, 0.0625]), 1, 1000, 0.5)).toBe(128);
    expect(worthwhileStrands(servers([8, 0.0625]), 1, 40, 0.5)).toBe(40);
    expect(worthwhileStrands(servers([10, 0]), 1, 1000, 0.5)).toBe(1000);
  });

  it('is the last one needed where a queue for scores only gets longer', () => {
    expect(worthwhileStrands(servers([10, 0], [0, 5]), 20, 1000, 0.5)).toBe(20);
    expect(worthwhileStrands(servers([10, 0], [0, 5]), 20, 1000, 1)).toBe(1000);
  });
});

describe('widths by worth', () => {
  const rule = worthWidths({ ...share, elasticity: 0.5 });

  it('are shares of what is worth it, with the numbers that say so', () => {
    const { widths, limit, facts } = rule([seat('a'), seat('b')], 100, 1000, servers([10, 1]));
    expect(widths).toEqual([5, 5]);
    expect(limit).toBe(10);
    expect(facts).toMatchObject({ worth: 10, stepMs: 20, scoreMs: 0, unboostedMs: 12 });
    expect(facts!.nextStretches).toBeGreaterThan(0.5);
  });

  it('leave every search its base where nothing more is worth it, and share all before anything was measured', () => {
    expect(rule([seat('a'), seat('b')], 100, 1000, servers([0, 1])).widths).toEqual([1, 1]);
    expect(rule([seat('a'), seat('b')], 100, 1000, undefined).widths).toEqual([16, 16]);
  });
});

describe('widths by slack', () => {
  it('keep the step within the slack, whatever the verifier does, and deal out evenly', () => {
    const rule = slackWidths({ gate: 1, slack: 1 });
    const costly = servers([10, 1], [0, 100]);
    expect(rule([seat('a'), seat('b'), seat('c', 0)], 100, 0, costly).widths).toEqual([5, 4, 1]);
    expect(rule([seat('a')], 100, 0, costly).facts).toEqual({ worth: 10, stepMs: 20, limitMs: 20 });
    expect(rule([seat('a')], 8, 0, undefined).widths).toEqual([8]);
  });
});
