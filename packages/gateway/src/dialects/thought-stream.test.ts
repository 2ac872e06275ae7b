import fc from 'fast-check';
import { expect, it } from 'vitest';
import { thoughtOf, thoughtText, usualTags } from '../../../core/src/tree/readings/thinking.ts';
import { ThoughtStream } from './thought-stream.ts';

const part = fc.constantFrom('<think>', '</think>', '\n', ' ', 'a', '<', 'think>', '</', 'word ');

it('splits any pieces into the same thinking and answer as the whole text', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.boolean(), fc.nat(5), (parts, opened, size) => {
      const text = parts.join('');
      const stream = new ThoughtStream({ ...usualTags, opened });
      const told = { thought: '', said: '' };
      for (let at = 0; at < text.length; at += size + 1) {
        const { thought, said } = stream.push(text.slice(at, at + size + 1));
        told.thought += thought;
        told.said += said;
      }
      const step = { text, tokens: 1, meanLogprob: 0, end: 'length' } as const;
      const thought = thoughtOf(step, opened, usualTags);
      const whole = thought === undefined ? '' : thoughtText({ ...step, thought }, usualTags);
      const said = thought === undefined ? text : text.slice(thought.chars).replace(/^\n+/, '');
      expect(whole.startsWith(told.thought)).toBe(true);
      expect(said.startsWith(told.said)).toBe(true);
      expect(whole.length - told.thought.length).toBeLessThanOrEqual(usualTags.close.length);
      expect(said.length - told.said.length).toBeLessThanOrEqual(
        text.length - text.trimStart().length + usualTags.open.length,
      );
    }),
    { numRuns: 2000 },
  );
});
