import { describe, expect, it } from 'vitest';
import { chooseReplica, type ReplicaLoad } from './route.ts';

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

  it('spreads new searches by load, then by the searches that live there', () => {
    expect(chooseReplica([load({ inFlight: 2 }), load({ inFlight: 1 })], undefined)).toBe(1);
    expect(chooseReplica([load({ homes: 3 }), load({ homes: 2 })], undefined)).toBe(1);
    expect(chooseReplica([load({ inFlight: 4, room: 16 }), load({ inFlight: 3, room: 4 })], undefined)).toBe(0);
  });
});
