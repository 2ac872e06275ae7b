import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.ts';
import { LiveFit } from './live-fit.ts';

function fitted(count: number, at: (index: number) => readonly [number, number]) {
  const fit = new LiveFit();
  for (let index = 0; index < count; index += 1) fit.observe(...at(index));
  return fit.line;
}

describe('a live fit', () => {
  it('says nothing before it has seen enough', () => {
    expect(fitted(31, (at) => [at, at])).toBeUndefined();
    expect(fitted(32, (at) => [at, at])).toBeDefined();
  });

  it('finds a line through noise, and follows it when the server becomes slower', () => {
    const random = new Random('noise');
    const line = fitted(2000, (at) => {
      const x = 1 + random.integer(100);
      return [x, (at < 1000 ? 5 + 0.1 * x : 20 + 0.4 * x) + random.uniform() - 0.5];
    })!;
    expect(line.baseMs).toBeCloseTo(20, 0);
    expect(line.slopeMs).toBeCloseTo(0.4, 1);
  });

  it('has no slope where the load never changed or more load went with less time', () => {
    expect(fitted(100, () => [64, 10])!.slopeMs).toBe(0);
    expect(fitted(100, () => [64, 10])!.baseMs).toBeCloseTo(10, 9);
    expect(fitted(100, (at) => [1 + (at % 10), 20 - (at % 10)])!.slopeMs).toBe(0);
  });

  it('never has a negative part', () => {
    const points = fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1e4, noNaN: true })), {
      minLength: 32,
      maxLength: 80,
    });
    fc.assert(
      fc.property(points, (seen) => {
        const { baseMs, slopeMs } = fitted(seen.length, (at) => seen[at]!)!;
        expect(baseMs).toBeGreaterThanOrEqual(0);
        expect(slopeMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
