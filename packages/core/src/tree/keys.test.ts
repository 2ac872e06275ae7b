import { describe, expect, it } from 'vitest';
import { drawKey, drawSeed, formKey, nodeKey, rootKey } from './keys.ts';

const step = { text: 'so\n', end: 'delimiter' } as const;

describe('keys', () => {
  it('name a node by its path, its tokens and its end', () => {
    const key = nodeKey(rootKey, step);
    expect(nodeKey(rootKey, { ...step })).toBe(key);
    const others = [
      nodeKey(key, step),
      nodeKey(rootKey, { ...step, text: 'so' }),
      nodeKey(rootKey, { ...step, end: 'eos' }),
      nodeKey(rootKey, { ...step, tokenIds: [5, 6] }),
      nodeKey(rootKey, { ...step, tokenIds: [5, 6, 7] }),
      nodeKey(rootKey, { ...step, tokenIds: [] }),
    ];
    expect(new Set([key, ...others]).size).toBe(others.length + 1);
  });

  it('go by token ids where there are some, whatever text they are shown as', () => {
    const tokenIds = [5, 6];
    expect(nodeKey(rootKey, { ...step, tokenIds })).toBe(nodeKey(rootKey, { text: '', end: 'delimiter', tokenIds }));
  });

  it('are whole numbers wider than 32 bits, and do not meet', () => {
    const keys = Array.from({ length: 200_000 }, (_, at) => nodeKey(rootKey, { text: `${at}`, end: 'eos' }));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every(Number.isSafeInteger)).toBe(true);
    const wide = keys.filter((key) => key > 2 ** 52).length;
    expect(Math.abs(wide / keys.length - 0.5)).toBeLessThan(0.01);
    // As many different values in the upper bits as chance gives: 21 bits hold 2 million.
    expect(new Set(keys.map((key) => Math.floor(key / 2 ** 32))).size).toBeGreaterThan(189_000);
  });

  it('give draws of one node seeds in a row, and another form other seeds', () => {
    const [warm, cold] = [formKey({ temperature: 0.8 }), formKey({ temperature: 0.7 })];
    const seeds = [0, 1, 2].map((index) => drawSeed(7, rootKey, index, warm));
    expect(seeds).toEqual([seeds[0], seeds[0]! + 1, seeds[0]! + 2]);
    expect(seeds[0]).toBeLessThan(2 ** 31);
    expect(drawSeed(7, rootKey, 0, cold)).not.toBe(seeds[0]);
    expect(drawSeed(8, rootKey, 0, warm)).not.toBe(seeds[0]);
    expect(drawKey(rootKey, 0, cold)).not.toBe(drawKey(rootKey, 0, warm));
    expect(drawKey(rootKey, 1, warm)).not.toBe(drawKey(rootKey, 0, warm));
  });
});
