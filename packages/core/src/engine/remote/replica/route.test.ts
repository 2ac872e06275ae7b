import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseReplica, inPreference, mayStay, type ReplicaLoad, replicaOf } from './route.ts';

const load = (overrides: Partial<ReplicaLoad> = {}): ReplicaLoad => ({
  usable: true,
  inFlight: 0,
  waiting: 0,
  room: 8,
  homes: 0,
  ...overrides,
});

describe('the server of a session', () => {
  const urls = ['http://a:1', 'http://b:1', 'http://c:1'];
  const home = (route: string, of: readonly string[]) => inPreference(route, of, (url) => url)[0]!;

  it('is the same in any order and under either form of its address, and moves only with a server that leaves', () => {
    for (let at = 0; at < 300; at += 1) {
      const route = `route ${at}`;
      const chosen = home(route, urls);
      expect(home(route, urls.toReversed())).toBe(chosen);
      expect(
        home(
          route,
          urls.map((url) => `${url}/v1`),
        ),
      ).toBe(`${chosen}/v1`);
      const left = urls.filter((url) => url !== 'http://b:1');
      if (chosen !== 'http://b:1') expect(home(route, left)).toBe(chosen);
    }
  });

  it('is the next one while it is full, so that one name for everything idles none', () => {
    const route = 'route 1';
    const at = urls.indexOf(home(route, urls));
    const loads = urls.map((_, each) => load({ inFlight: each === at ? 8 : 0 }));
    const next = replicaOf(route, urls, loads)!;
    expect(next).not.toBe(at);
    expect(chooseReplica(loads, next)).toBe(next);
    const busy = urls.map((_, each) => load({ inFlight: each === at ? 9 : 6 }));
    expect(replicaOf(route, urls, busy)).toBe(at);
    expect(
      replicaOf(
        route,
        urls,
        urls.map(() => load()),
      ),
    ).toBe(at);
  });

  it('is each as often as another, over a hundred thousand of them', () => {
    const count = new Map(urls.map((url) => [url, 0]));
    for (let at = 0; at < 100_000; at += 1) {
      const chosen = home(`route ${at}`, urls);
      count.set(chosen, count.get(chosen)! + 1);
    }
    for (const share of count.values()) expect(Math.abs(share - 100_000 / 3)).toBeLessThan(1000);
  });
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
