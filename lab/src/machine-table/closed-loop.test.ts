import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedLoop, fitCallMs, type LoopModel, passSlowdown, slowed, stepSlowdown } from './closed-loop.ts';

const model = (firstMs: number, pathMs: number, callMs: number): LoopModel => ({
  passMs: (paths) => firstMs + paths * pathMs,
  passPaths: 1000,
  callMs,
});

describe('a loop of scores', () => {
  it('is a round trip where one path is there, and all pass where many are', () => {
    const one = closedLoop(1, model(5, 5, 10));
    expect(one.pathsPerMs).toBeCloseTo(1 / 20, 2);
    expect(one.busy).toBeCloseTo(0.5, 1);
    const many = closedLoop(100, model(5, 5, 10));
    expect(many.busy).toBeGreaterThan(0.98);
    expect(many.pathsPerMs).toBeCloseTo(many.pathsPerPass / (5 + many.pathsPerPass * 5), 2);
    expect(many.pathsPerPass).toBeGreaterThan(30);
  });

  it('computes no more in a pass than one holds', () => {
    const held = closedLoop(100, { ...model(5, 5, 10), passPaths: 10 });
    expect(held.pathsPerPass).toBe(10);
    expect(held.pathsPerMs).toBeCloseTo(10 / 55);
  });

  it('tells the way from the pass, and how much slower passes became', () => {
    const drawn = fc.record({
      callShare: fc.double({ min: 0.1, max: 0.8, noNaN: true }),
      floorShare: fc.double({ min: 0.2, max: 1, noNaN: true }),
      factor: fc.double({ min: 1, max: 4, noNaN: true }),
    });
    fc.assert(
      fc.property(drawn, ({ callShare, floorShare, factor }) => {
        const singleMs = 20;
        const modelOf = (callMs: number): LoopModel => {
          const passMs = singleMs - callMs;
          return model(floorShare * passMs, (1 - floorShare) * passMs, callMs);
        };
        const truth = modelOf(callShare * singleMs);
        const read = [2, 8].map((inFlight) => ({ inFlight, pathsPerMs: closedLoop(inFlight, truth).pathsPerMs }));
        expect(Math.abs(fitCallMs(singleMs, modelOf, read) - truth.callMs)).toBeLessThan(0.15 * singleMs);
        const rate = (times: number) => ({ inFlight: 8, ...closedLoop(8, slowed(truth, times)) });
        expect(passSlowdown(truth, rate(1), rate(factor))).toBeCloseTo(factor, 0);
        // Also where the model is wrong by a factor.
        expect(passSlowdown(truth, rate(1.3), rate(1.3 * factor))).toBeCloseTo(factor, 0);
      }),
      { numRuns: 10 },
    );
  });
});

it('takes the gaps between passes out of what decoding lost', () => {
  expect(stepSlowdown(2, 1)).toBe(2);
  // Half of the time at full speed, half at a third of it: two thirds of the speed are left.
  expect(stepSlowdown(1.5, 0.5)).toBeCloseTo(3);
  expect(stepSlowdown(1, 0.5)).toBe(1);
  // More than gaps of this length allow.
  expect(stepSlowdown(2.1, 0.5)).toBe(4.2);
  expect(stepSlowdown(0.9, 0.5)).toBe(1);
});
