import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InFlightLimit } from './in-flight-limit.ts';

const options = { initial: 8, minimum: 1, maximum: 64 };

describe('InFlightLimit', () => {
  it('grows by about one per full round while the limit is felt, and not otherwise', () => {
    const felt = new InFlightLimit(options);
    for (let call = 0; call < 9; call += 1) felt.firstToken(10, 8, call);
    expect(felt.room).toBe(9);
    const idle = new InFlightLimit(options);
    for (let call = 0; call < 100; call += 1) idle.firstToken(10, 3, call);
    expect(idle.room).toBe(8);
  });

  it('shrinks once per jam, on a refusal or on late first tokens', () => {
    const limit = new InFlightLimit(options);
    limit.congested(5000);
    limit.congested(5001);
    expect(limit.room).toBe(5);
    limit.firstToken(100, 1, 6000);
    limit.firstToken(5000, 1, 7000);
    expect(limit.room).toBe(3);
  });

  it('holds speculative work back first', () => {
    const limit = new InFlightLimit({ ...options, known: 16 });
    expect(limit.admits('speculative', 1, 13)).toBe(true);
    expect(limit.admits('speculative', 1, 14)).toBe(false);
    expect(limit.admits('primary', 1, 15)).toBe(true);
    expect(limit.admits('primary', 1, 16)).toBe(false);
    expect(limit.admits('primary', 99, 0)).toBe(true);
  });

  it('never leaves its bounds, and never moves a known limit', () => {
    const event = fc.oneof(fc.constant('jam' as const), fc.integer({ min: 1, max: 10_000 }));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 300 }), fc.boolean(), (events, known) => {
        const limit = new InFlightLimit(known ? { ...options, known: 12 } : options);
        events.forEach((each, at) => {
          if (each === 'jam') limit.congested(at * 2000);
          else limit.firstToken(each, 1000, at * 2000);
          expect(limit.room).toBeGreaterThanOrEqual(1);
          expect(limit.room).toBeLessThanOrEqual(64);
          if (known) expect(limit.room).toBe(12);
        });
      }),
    );
  });
});
