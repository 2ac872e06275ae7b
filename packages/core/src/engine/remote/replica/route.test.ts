import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseReplica, mayStay, type ReplicaLoad } from './route.ts';

const load = (overrides: Partial<ReplicaLoad> = {}): ReplicaLoad => ({
  usable: true,
  inFlight: 0,
  waiting: 0,
  room: 8,
  homes: 0,
  ...overrides,
});

describe('chooseReplica', () => {
  it('keeps a search where its prefix is', () => {
    expect(chooseReplica([load({ inFlight: 8, waiting: 4 }), load()], 0)).toBe(0);
  });

  it('moves it when work piles up there and another stands half empty', () => {
    expect(chooseReplica([load({ inFlight: 8, waiting: 8 }), load({ inFlight: 3 })], 0)).toBe(1);
    expect(chooseReplica([load({ inFlight: 8, waiting: 8 }), load({ inFlight: 4 })], 0)).toBe(0);
  });

  it('moves it when the replica is out, and waits when all are', () => {
    expect(chooseReplica([load({ usable: false }), load({ inFlight: 8 })], 0)).toBe(1);
    expect(chooseReplica([load({ usable: false }), load({ usable: false })], 0)).toBeUndefined();
  });

  it('stays where it may stay, whatever the others are like', () => {
    const any = fc.record({
      usable: fc.boolean(),
      inFlight: fc.nat(20),
      waiting: fc.nat(20),
      room: fc.integer({ min: 1, max: 8 }),
      homes: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 6 }), fc.nat(5), (loads, luck) => {
        const home = luck % loads.length;
        if (mayStay(loads[home]!)) expect(chooseReplica(loads, home)).toBe(home);
      }),
    );
  });

  it('spreads new searches by load, then by the searches that live there', () => {
    expect(chooseReplica([load({ inFlight: 2 }), load({ inFlight: 1 })], undefined)).toBe(1);
    expect(chooseReplica([load({ homes: 3 }), load({ homes: 2 })], undefined)).toBe(1);
    expect(chooseReplica([load({ inFlight: 4, room: 16 }), load({ inFlight: 3, room: 4 })], undefined)).toBe(0);
  });
});
