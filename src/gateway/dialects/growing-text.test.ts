import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingText, type SplitText } from './growing-text.ts';

const tags = { open: '<think>', close: '</think>' };

function split(text: string, sizes: readonly number[], opened: boolean): SplitText {
  const growing = new GrowingText({ ...tags, opened });
  const all = { content: '', reasoning_content: '' };
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    const { content, reasoning_content } = growing.add(text.slice(at, at + size));
    all.content += content;
    all.reasoning_content += reasoning_content;
    at += size;
  }
  return all;
}

describe('a text that grows', () => {
  it('is told apart the same, however it is cut into pieces', () => {
    const words = fc.array(fc.constantFrom('a', ' ', '\n', '<', 'think>', '<think>', '</think>', '</thi'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        words,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        fc.boolean(),
        (parts, sizes, opened) => {
          const text = `${parts.join('')} and so on, for long enough`;
          expect(split(text, sizes, opened)).toEqual(split(text, [text.length], opened));
        },
      ),
    );
  });

  it('gives no part of a tag away', () => {
    for (const size of [1, 2, 3, 5, 8]) {
      expect(split('<think>\nhm\n</think>\n\nIt is 7.', [size], false)).toEqual({
        reasoning_content: 'hm\n',
        content: 'It is 7.',
      });
      expect(split('hm</think>7', [size], true)).toEqual({ reasoning_content: 'hm', content: '7' });
      expect(split('It is < 7.', [size], false)).toEqual({ reasoning_content: '', content: 'It is < 7.' });
    }
  });
});
