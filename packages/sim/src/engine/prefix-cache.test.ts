import { describe, expect, it } from 'vitest';
import { pathOf } from '../../../core/src/testing/case/paths.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import { PrefixCache } from './prefix-cache.ts';

function step(tokens: number): Step {
  return { text: `${tokens}`, tokens, meanLogprob: 0, end: 'delimiter' };
}

describe('the prefix cache', () => {
  it('computes a prefix once, and what lies below it only as far as it is new', () => {
    const cache = new PrefixCache(1000);
    const [a, b] = [step(50), step(60)];
    const first = cache.pin('s', 100, [], 0)!;
    expect(first).toMatchObject({ computedTokens: 100, cachedTokens: 0 });
    cache.take(50);
    cache.keep(first.segment, a);
    const second = cache.pin('s', 100, pathOf(a, b), 0)!;
    expect(second).toMatchObject({ computedTokens: 60, cachedTokens: 150 });
    expect(cache.usedTokens).toBe(210);
  });

  it('shares nothing across searches, and finds a step again that a sibling wrote too', () => {
    const cache = new PrefixCache(1000);
    const first = cache.pin('s', 100, [], 0)!;
    cache.take(100);
    for (const twin of [step(50), step(50)]) cache.keep(first.segment, twin);
    expect(cache.usedTokens).toBe(150);
    expect(cache.pin('other', 100, [], 0)).toMatchObject({ computedTokens: 100 });
    expect(cache.pin('s', 100, pathOf(step(50)), 0)).toMatchObject({ computedTokens: 0, cachedTokens: 150 });
    expect(cache.pin('s', 100, pathOf(step(50), step(50)), 0)).toMatchObject({ computedTokens: 50 });
  });

  it('computes the blocks that prompts share once, after the last search with them has left too', () => {
    const cache = new PrefixCache(1000);
    const blocks = (...names: number[]) => ({ names, tokens: 100 });
    const first = cache.pin('one', 250, [], 0, blocks(1, 2, 3))!;
    expect(first).toMatchObject({ computedTokens: 250, cachedTokens: 0 });
    expect(cache.pin('two', 320, pathOf(step(10)), 0, blocks(1, 2, 4, 5))).toMatchObject({ computedTokens: 130 });
    // A block has another key below another block.
    expect(cache.pin('three', 150, [], 0, blocks(2, 1))).toMatchObject({ computedTokens: 150, cachedTokens: 0 });
    cache.unpin(first.segment);
    cache.release('one');
    expect(cache.usedTokens).toBe(200 + 130 + 150);
    expect(cache.pin('four', 200, [], 0, blocks(1, 2))).toMatchObject({ computedTokens: 100, cachedTokens: 100 });
  });

  it('drops shared blocks by age, from the deepest, and never below a search in use', () => {
    const cache = new PrefixCache(500);
    const share = (search: string, ...names: number[]) => cache.pin(search, 110, [], 0, { names, tokens: 100 });
    const held = share('held', 1)!;
    for (const [search, name] of [
      ['old', 2],
      ['new', 3],
    ] as const) {
      cache.unpin(share(search, name)!.segment);
      cache.release(search);
    }
    expect(cache.usedTokens).toBe(310);
    cache.unpin(cache.pin('large', 250, [], 0)!.segment);
    cache.release('large');
    expect(cache.evictedTokens).toBe(100);
    expect(share('again', 3)).toMatchObject({ computedTokens: 10 });
    expect(share('held too', 1)).toMatchObject({ computedTokens: 10 });
    expect(share('older', 2)).toMatchObject({ computedTokens: 110 });
    cache.unpin(held.segment);
  });

  it('drops the least recently used branch from its tip, and never what is in use', () => {
    const cache = new PrefixCache(400);
    const [a, b, c] = [step(100), step(100), step(100)];
    const inUse = cache.pin('one', 50, pathOf(a), 0)!;
    cache.unpin(cache.pin('two', 50, pathOf(b), 0)!.segment);
    expect(cache.freeTokens).toBe(100);
    expect(cache.pin('three', 50, pathOf(c), 0)).toMatchObject({ computedTokens: 150 });
    expect(cache.evictedTokens).toBe(100);
    expect(cache.pin('two', 50, [], 0)).toMatchObject({ computedTokens: 0, cachedTokens: 50 });
    expect(cache.pin('two', 50, pathOf(b), 0)).toBeUndefined();
    cache.unpin(inUse.segment);
    expect(cache.pin('two', 50, pathOf(b), 0)).toMatchObject({ computedTokens: 100, cachedTokens: 50 });
  });

  it('takes room from a search that has nothing on its way before one that has, however lately it was used', () => {
    const cache = new PrefixCache(400);
    const [a, b, c] = [step(100), step(100), step(100)];
    const working = cache.pin('works', 10, [], 0)!;
    cache.unpin(cache.pin('works', 10, pathOf(a), 0)!.segment);
    cache.unpin(cache.pin('rests', 10, pathOf(b), 0)!.segment);
    cache.unpin(cache.pin('other', 10, pathOf(c), 60)!.segment);
    expect(cache.pin('new', 80, [], 0)).toBeDefined();
    expect(cache.pin('works', 10, pathOf(a), 0)).toMatchObject({ computedTokens: 0 });
    expect(cache.pin('rests', 10, pathOf(b), 0)).toMatchObject({ computedTokens: 100, cachedTokens: 10 });
    cache.unpin(working.segment);
  });

  it('gives back all of a released search, what is in use as soon as it no longer is', () => {
    const cache = new PrefixCache(1000);
    const path = pathOf(step(10), step(20), step(30));
    const pinned = cache.pin('s', 100, path.slice(0, 2), 0)!;
    cache.unpin(cache.pin('s', 100, path, 0)!.segment);
    cache.release('s');
    cache.release('s');
    expect(cache.usedTokens).toBe(130);
    cache.unpin(pinned.segment);
    expect(cache.usedTokens).toBe(0);
  });
});
