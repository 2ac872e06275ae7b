import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Gauges } from '../dialect/gauges.ts';
import { InFlightLimit } from './in-flight-limit.ts';

const beginning = (initial: number) => new InFlightLimit(undefined, initial);

const calm: Gauges = { running: 8, waiting: 0, preemptions: 0, kvUse: 0.2 };

describe('InFlightLimit', () => {
  /** As many answers of 100 tokens as the limit, or until it moves, that begin and end at the same moments. */
  const round = (limit: InFlightLimit, beganMs: number, endMs: number, wanted = limit.room): void => {
    const { room } = limit;
    for (let left = room; left > 0 && limit.room === room; left -= 1) limit.answered(beganMs, 100, wanted, endMs);
  };

  it('doubles without gauges while a round of answers gives more tokens a second, and then goes back', () => {
    const limit = beginning(8);
    round(limit, 0, 1000);
    expect(limit.room).toBe(16);
    round(limit, 500, 1500);
    expect(limit.room, 'answers that began before').toBe(16);
    round(limit, 1000, 2200);
    expect(limit.room).toBe(32);
    round(limit, 2200, 4500);
    expect(limit.room, 'as many in twice the time').toBe(16);
    round(limit, 4500, 6000);
    expect(limit.room).toBe(16);
    round(limit, 34_500, 36_000);
    expect(limit.room).toBe(32);
  });

  it('leaves those out of a trial that were sent together and found no queue', () => {
    const limit = beginning(8);
    round(limit, 0, 1000);
    for (let at = 0; at < 8; at += 1) limit.answered(1000, 100, 99, 1500);
    expect(limit.room).toBe(16);
    for (let at = 0; at < 8; at += 1) limit.answered(1000, 100, 99, 4000);
    expect(limit.room).toBe(8);
  });

  it('ends a trial with the first reading of the gauges', () => {
    const limit = beginning(8);
    round(limit, 0, 1000);
    for (const atMs of [1250, 1500, 1750]) limit.read({ ...calm, kvUse: 0 }, limit.room, 300, atMs);
    expect(limit.room).toBe(128);
    limit.congested(5000);
    expect(limit.room).toBe(89);
  });

  it('does not double without gauges where the limit is not felt', () => {
    const limit = beginning(8);
    round(limit, 0, 1000, 7);
    expect(limit.room).toBe(8);
  });

  it('takes the signs of what drains after a cut for that cut', () => {
    const limit = beginning(64);
    for (let atMs = 250; atMs < 20_000; atMs += 250)
      limit.read({ running: 40, waiting: 24, preemptions: atMs, kvUse: 0.95 }, 64, 9, atMs);
    expect(limit.room).toBe(40);
  });

  it('does not grow beyond what fills the KV cache', () => {
    const limit = beginning(32);
    limit.read({ running: 32, waiting: 0, preemptions: 0, kvUse: 0.6 }, 32, 32, 250);
    expect(limit.room).toBe(48);
  });

  it('shrinks once per jam, on a refusal or on late first tokens', () => {
    const limit = beginning(8);
    limit.congested(5000);
    limit.congested(5001);
    expect(limit.room).toBe(5);
    limit.firstToken(100, 1, 6000);
    limit.firstToken(5000, 1, 7000);
    expect(limit.room).toBe(3);
  });

  it('divides a limit that the server has, and not one that was found beside the others', () => {
    const known = new InFlightLimit(16);
    known.divide(3);
    expect(known.room).toBe(5);
    known.divide(32);
    expect(known.room).toBe(1);
    known.divide(1);
    expect(known.room).toBe(16);
    const found = beginning(8);
    found.divide(3);
    expect(found.room).toBe(8);
  });

  it('holds speculative work back first', () => {
    const limit = new InFlightLimit(16);
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
        const limit = new InFlightLimit(known ? 12 : undefined);
        events.forEach((each, at) => {
          if (each === 'jam') limit.congested(at * 2000);
          else limit.firstToken(each, 1, at * 2000);
          limit.answered(at * 1000, 10, 1000, at * 2000);
          expect(limit.room).toBeGreaterThanOrEqual(1);
          expect(limit.room).toBeLessThanOrEqual(1024);
          if (known) expect(limit.room).toBe(12);
        });
      }),
    );
  });

  it('doubles at each reading while it is felt, and not while it is not', () => {
    const limit = beginning(8);
    limit.read(calm, 8, 0, 250);
    limit.read(calm, 10, 6, 500);
    expect(limit.room).toBe(32);
    limit.read(calm, 20, 0, 750);
    expect(limit.room).toBe(32);
    expect(limit.readMs).toBe(250);
  });

  it('takes one reading with a queue for a burst, two for the end of the server', () => {
    const limit = beginning(32);
    limit.read({ ...calm, running: 24, waiting: 8 }, 32, 9, 250);
    limit.read({ ...calm, running: 32 }, 32, 0, 500);
    expect(limit.room).toBe(64);
    limit.read({ ...calm, running: 40, waiting: 24 }, 64, 9, 750);
    expect(limit.room).toBe(64);
    limit.read({ ...calm, running: 40, waiting: 24 }, 64, 9, 1000);
    expect(limit.room).toBe(40);
  });

  it('takes the few that came between two decode steps for no queue', () => {
    const limit = beginning(64);
    for (const atMs of [250, 500]) limit.read({ ...calm, running: 61, waiting: 3 }, 64, 300, atMs);
    expect(limit.room).toBe(256);
  });

  it('gives way to others where the server runs all of ours and more wait', () => {
    const limit = beginning(40);
    for (const atMs of [250, 500]) limit.read({ ...calm, running: 90, waiting: 5 }, 40, 0, atMs);
    expect(limit.room).toBe(28);
  });

  it('backs off when sequences are thrown out of the KV cache, and before that when it is nearly full', () => {
    const full = beginning(40);
    full.read({ ...calm, kvUse: 0.95 }, 40, 10, 250);
    expect(full.room).toBe(36);
    const thrown = beginning(40);
    thrown.read(calm, 20, 0, 250);
    thrown.read({ ...calm, preemptions: 3 }, 40, 10, 500);
    expect(thrown.room).toBe(28);
  });

  it('is squeezed while the last reading says that requests wait or the KV cache is full', () => {
    const limit = beginning(8);
    const signs: Partial<Gauges>[] = [{}, { waiting: 1 }, {}, { kvUse: 0.95 }, {}, { preemptions: 1 }];
    const seen = signs.map((sign, at) => {
      limit.read({ ...calm, ...sign }, 8, 0, 250 * at);
      return limit.squeezed;
    });
    expect(seen).toEqual([false, true, false, true, false, true]);
  });

  it('grows again by a sixteenth once there was no sign for ten seconds', () => {
    const limit = beginning(40);
    limit.read({ ...calm, kvUse: 0.95 }, 40, 10, 250);
    limit.read(calm, 36, 10, 2250);
    expect(limit.room).toBe(36);
    expect(limit.readMs).toBe(2000);
    limit.read(calm, 36, 10, 12_250);
    expect(limit.room).toBe(38);
  });
});

/** Milliseconds of a decode step of an 8B model on an H200 under vLLM, by sequences: between the measured 64, 128, 256. */
function stepMs(sequences: number): number {
  const points = [
    [1, 5.5],
    [64, 6.3],
    [128, 7.8],
    [256, 12.1],
    [512, 21],
  ] as const;
  const at = points.findIndex(([most]) => sequences <= most);
  const [high, low] = [points[at] ?? points.at(-1)!, points[Math.max(0, at - 1)]!];
  const share = high[0] === low[0] ? 0 : (sequences - low[0]) / (high[0] - low[0]);
  return low[1] + share * (high[1] - low[1]);
}

describe('a limit that is being found, in virtual time', () => {
  /** When 90 % of the rate at the right limit is first reached, and the limit in the end. */
  function ramp(wanted: number, capacity: number): { readonly reachedMs: number; readonly room: number } {
    const limit = new InFlightLimit(undefined);
    const rate = (sequences: number): number => sequences / stepMs(sequences);
    let reachedMs = Number.POSITIVE_INFINITY;
    for (let nowMs = 0; nowMs < 20_000; nowMs += limit.readMs) {
      const inFlight = Math.min(wanted, limit.room);
      const running = Math.min(inFlight, capacity);
      if (rate(running) >= 0.9 * rate(Math.min(wanted, capacity))) reachedMs = Math.min(reachedMs, nowMs);
      const waiting = inFlight - running;
      limit.read({ running, waiting, preemptions: 0, kvUse: 0.3 }, inFlight, wanted - inFlight, nowMs + 250);
    }
    return { reachedMs, room: limit.room };
  }

  it('reaches 90 % of the steady rate within a second, for 256 and for 512 sequences', () => {
    expect(ramp(256, 1024).reachedMs).toBeLessThanOrEqual(750);
    expect(ramp(512, 1024).reachedMs).toBeLessThanOrEqual(1000);
  });

  it('settles near the limit of a server that runs fewer than are wanted', () => {
    const { reachedMs, room } = ramp(512, 200);
    expect(reachedMs).toBeLessThanOrEqual(1000);
    expect(room).toBeGreaterThanOrEqual(190);
    expect(room).toBeLessThanOrEqual(240);
  });
});
