import { describe, expect, it } from 'vitest';
import { ServerShares } from './server-shares.ts';

describe('ServerShares', () => {
  it('counts the nodes that name a server, at once when a node begins', () => {
    const shares = new ServerShares();
    expect(shares.count([['a', 'b'], ['a']])).toBe(true);
    expect(['a', 'b'].map((server) => shares.of(server))).toEqual([2, 1]);
    expect(shares.count([['a'], ['a', 'b']])).toBe(false);
  });

  it('takes a server that is new for one that all will use, and counts it once they could have named it', () => {
    const shares = new ServerShares();
    shares.count([['a'], ['a'], ['a']]);
    expect(shares.of('new')).toBe(3);
    const named = [['a', 'new'], ['a'], ['a']];
    const seen = Array.from({ length: 7 }, () => {
      shares.count(named);
      return shares.of('new');
    });
    expect(seen).toEqual([3, 3, 3, 3, 3, 1, 1]);
  });

  it('never lets the parts of a server sum to more than all of it, whenever each node hears of a newcomer', () => {
    const nodes = 64;
    const each = Array.from({ length: nodes }, () => new ServerShares());
    for (const shares of each) shares.count(Array.from({ length: nodes }, () => ['a']));
    for (let beat = 0; beat < 20; beat += 1) {
      // A list is read every two and a half beats: after three beats all nodes have read it.
      const readers = Math.min(nodes, (beat + 1) * 22);
      const named = Array.from({ length: nodes }, (_, at) => (at < readers ? ['a', 'new'] : ['a']));
      for (const shares of each) shares.count(named);
      const parts = each.slice(0, readers).reduce((sum, shares) => sum + 1 / shares.of('new'), 0);
      expect(parts).toBeLessThanOrEqual(1 + 1e-9);
    }
  });
});
