import fc from 'fast-check';
import { expect, test } from 'vitest';
import { thoughtOf, thoughtText, usualTags } from '../../tree/thinking.ts';
import { SpokenText } from './spoken-text.ts';

/** What a whole text says, as results read it. */
function wholeOf(text: string, opened: boolean) {
  const step = { text, tokens: 1, meanLogprob: 0, end: 'length' } as const;
  const thought = thoughtOf(step, opened, usualTags);
  if (thought === undefined) return { content: text, reasoning_content: '' };
  const content = thought.open ? '' : text.slice(thought.chars).replace(/^\n+/, '');
  return { content, reasoning_content: thoughtText({ ...step, thought }, usualTags) };
}

const piece = fc.constantFrom('<think>', '</think>', '<', 'think', '>', '</', '\n', ' ', 'a', 'bc', '</thi', 'nk>');

test('cut anywhere, it gives out only what the whole text says, and all of it but what is held back', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, opened) => {
      const spoken = new SpokenText({ ...usualTags, opened }, []);
      const given = { content: '', reasoning_content: '' };
      for (const each of pieces.flatMap((text) => [...text])) {
        const { content, reasoning_content: thought } = spoken.add(each);
        given.content += content;
        given.reasoning_content += thought;
      }
      const whole = wholeOf(pieces.join(''), opened);
      expect(whole.content.startsWith(given.content)).toBe(true);
      expect(whole.reasoning_content.startsWith(given.reasoning_content)).toBe(true);
      const missing = (field: keyof typeof whole) => whole[field].length - given[field].length;
      expect(missing('content') + missing('reasoning_content')).toBeLessThanOrEqual(usualTags.close.length + 1);
    }),
  );
});

test('a tag that comes letter by letter is no content', () => {
  const spoken = new SpokenText({ ...usualTags, opened: false }, []);
  const given = [...'<think>\nhm, so be it</think>\n\nThe answer is four.'].map((each) => spoken.add(each));
  expect(given.map(({ reasoning_content }) => reasoning_content).join('')).toBe('hm, so be it');
  expect('The answer is four.').toMatch(new RegExp(`^${given.map(({ content }) => content).join('')}`));
});

test('eight million characters are read once', () => {
  const spoken = new SpokenText({ ...usualTags, opened: false }, ['\n\n']);
  let chars = 0;
  // Read from the start each time, this would be 10^12 characters.
  for (let tokens = 0; tokens < 1_000_000; tokens += 1) chars += spoken.add(' letters').content.length;
  expect(chars).toBe(8_000_000 - usualTags.close.length);
});
