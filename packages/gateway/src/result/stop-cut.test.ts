import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtStop, StopCut } from './stop-cut.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
  maxLength: 3,
});

describe('StopCut', () => {
  it.each([
    ['no stop', ['END'], 'no stop', undefined],
    ['one END two END', ['END'], 'one ', 'END'],
    ['xabcd', ['abcd', 'bc'], 'xa', 'bc'],
    ['xabc', ['bc', 'abc'], 'x', 'abc'],
    ['\n', ['\n'], '', '\n'],
  ])('cuts %j at %j', (text, stops, told, stop) => {
    const cut = cutAtStop(text, stops);
    expect([cut.text, cut.stop]).toEqual([told, stop]);
  });

  it('cuts a text in any pieces alike, and never gives a character too many', () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 8 }), stops, (pieces, stops) => {
        const whole = cutAtStop(pieces.join(''), stops);
        const cut = new StopCut(stops);
        let told = '';
        for (const piece of pieces) {
          told += cut.push(piece);
          expect(whole.text.startsWith(told)).toBe(true);
        }
        expect([told + cut.rest(), cut.matched]).toEqual([whole.text, whole.stop]);
      }),
    );
  });
});
