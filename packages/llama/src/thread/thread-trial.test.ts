import { expect, test } from 'vitest';
import { fastestThreads } from './thread-trial.ts';

/** A machine on which a decode takes `tookMs(threads)`; counts the decodes. */
function trial(cores: number, tookMs: (threads: number) => number) {
  const tried: number[] = [];
  const threads = fastestThreads(cores, (count) => {
    tried.push(count);
    return tookMs(count);
  });
  return { threads, tried: [...new Set(tried)], decodes: tried.length };
}

test('the fastest count is kept, and of counts that are as fast the smallest', () => {
  expect(trial(16, (threads) => 40 / threads).threads).toBe(16);
  expect(trial(16, (threads) => 40 / Math.min(threads, 4)).threads).toBe(4);
  expect(trial(6, (threads) => 40 / threads).tried).toEqual([6, 3]);
  expect(trial(1, () => 40)).toEqual({ threads: 1, tried: [1], decodes: 4 });
});

test('where the cores are busy one thread wins', () => {
  expect(trial(2, (threads) => (threads > 1 ? 90 : 40)).threads).toBe(1);
});

test('a large model is tried with few decodes, and counts that are far too slow not at all', () => {
  expect(trial(16, (threads) => 4000 / threads)).toEqual({ threads: 16, tried: [16, 8], decodes: 2 });
  expect(trial(64, () => 2000)).toEqual({ threads: 32, tried: [64, 32], decodes: 2 });
});
