import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffMs, CircuitBreaker } from './circuit-breaker.ts';

describe('Health', () => {
  it('takes a replica out at once for its connection, and after three bad answers in a row', () => {
    const broken = new CircuitBreaker(true, 0);
    broken.failed('connection', 'refused', 10, 0.5);
    expect([broken.state, broken.reason]).toEqual(['open', 'refused']);
    const garbled = new CircuitBreaker(true, 0);
    garbled.failed('answer', 'garbage', 1, 0);
    garbled.failed('answer', 'garbage', 2, 0);
    garbled.succeeded(3);
    garbled.failed('answer', 'garbage', 4, 0);
    garbled.failed('answer', 'garbage', 5, 0);
    expect(garbled.state).toBe('closed');
    garbled.failed('answer', 'garbage', 6, 0);
    expect(garbled.state).toBe('open');
  });

  it('brings it back on trial: one failure takes it out again, for longer', () => {
    const health = new CircuitBreaker(true, 0);
    health.failed('connection', 'reset', 0, 1);
    const first = health.probeAtMs;
    health.probed(true, undefined, first, 1);
    expect(health.state).toBe('half-open');
    health.failed('answer', 'garbage', first, 1);
    expect(health.state).toBe('open');
    expect(health.probeAtMs - first).toBeGreaterThan(first);
    health.probed(true, undefined, 10_000, 1);
    health.succeeded(10_001);
    expect(health.state).toBe('closed');
  });

  it('never gives work to a replica that is down because of a late success', () => {
    const health = new CircuitBreaker(true, 0);
    health.failed('connection', 'reset', 0, 0);
    health.succeeded(1);
    expect(health.state).toBe('open');
  });

  it('waits between half and all of a doubling interval', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const waitMs = backOffMs(attempt, 100, 5000, chance);
          const intervalMs = Math.min(5000, 100 * 2 ** attempt);
          expect(waitMs).toBeGreaterThanOrEqual(intervalMs / 2);
          expect(waitMs).toBeLessThanOrEqual(intervalMs);
        },
      ),
    );
  });
});
