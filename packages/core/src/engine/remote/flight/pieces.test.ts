import fc from 'fast-check';
import { expect, test } from 'vitest';
import { piecesOf } from './pieces.ts';

test('tokens that spell out a text are its pieces, the end of the answer none', () => {
  expect(piecesOf('so 24.', ['so', ' 24', '.', '<|im_end|>'])).toEqual(['so', ' 24', '.', '']);
});

test('a character of several tokens belongs to the last of them', () => {
  expect(piecesOf('a😀b', ['a', '\ufffd', '\ufffd', 'b'])).toEqual(['a', '', '😀', 'b']);
  expect(piecesOf('é', ['\ufffd', '\ufffd'])).toEqual(['', 'é']);
});

test('a text that was cut ends inside its last token', () => {
  expect(piecesOf('x.\n\n', ['x', '.\n\n\n'])).toEqual(['x', '.\n\n']);
});

test('whatever tokens a server writes, as many pieces come back and together they are the text', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\ufffd', ' ', '😀'), maxLength: 4 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀'), maxLength: 20 }), words, (text, written) => {
      const pieces = piecesOf(text, written);
      expect(pieces.length).toBe(written.length);
      expect(pieces.join('')).toBe(text);
    }),
  );
});
