import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StepText } from './step-text.ts';

/** Tokens are indices into these pieces. */
function reader(pieces: readonly (string | Uint8Array)[], stops: readonly string[]) {
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
  return new StepText((token) => bytes[token]!, stops);
}

describe('StepText', () => {
  it('holds back the bytes of an unfinished character', () => {
    const euro = new TextEncoder().encode('€');
    const text = reader([euro.slice(0, 1), euro.slice(1, 2), euro.slice(2), 'x'], []);
    expect([0, 1, 2, 3].map((token) => text.push(token).added)).toEqual(['', '', '€', 'x']);
    expect(text.text).toBe('€x');
  });

  it('replaces what stays unfinished, and bytes that are no UTF-8 at all', () => {
    const text = reader([new Uint8Array([0xe2, 0x82]), 'a', new Uint8Array([0xff]), new Uint8Array([0xc3])], []);
    expect(text.push(0).added).toBe('');
    expect(text.push(1).added).toBe('\uFFFDa');
    expect(text.push(2).added).toBe('\uFFFD');
    expect(text.push(3).added).toBe('');
    expect(text.finish()).toBe('\uFFFD');
  });

  it('finds a stop string that spans tokens, and where it ends', () => {
    const text = reader(['so\n', '\n', 'next'], ['\n\n']);
    expect(text.push(0).stop).toBeUndefined();
    expect(text.push(1).stop).toEqual({ stop: 0, begins: 2, ends: 4 });
  });

  it('says which tokens lie before a stop string that ends inside a token', () => {
    const text = reader(['ab', 'c;de'], [';']);
    text.push(0);
    const { stop } = text.push(1);
    expect(stop).toEqual({ stop: 0, begins: 3, ends: 4 });
    expect(text.cutAt(stop!.ends)).toEqual({ wholeTokens: 1, remainder: 'c;' });
  });

  it('finds the earliest stop string in any text cut into any pieces', () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é'), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 12,
    });
    const property = fc.property(pieces, (all) => {
      const stops = ['\n\n', 'ab', 'é\n'];
      const text = reader(all, stops);
      let found: number | undefined;
      for (const token of all.keys()) {
        found = text.push(token).stop?.begins;
        if (found !== undefined) break;
      }
      const places = stops.map((stop) => all.join('').indexOf(stop)).filter((place) => place >= 0);
      expect(found).toBe(places.length === 0 ? undefined : Math.min(...places));
    });
    fc.assert(property, { numRuns: 500 });
  });
});
