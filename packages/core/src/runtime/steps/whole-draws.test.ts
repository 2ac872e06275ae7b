import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Step } from '../../tree/step.ts';
import { stepsOf } from './whole-draws.ts';

const plain = { delimiters: ['\n\n', '###'] };
const thinking = {
  open: '<think>',
  close: '</think>',
  opened: false,
  delimiters: [],
  stepTokens: 9,
  maxTokens: 9,
  lastWords: '',
};

function whole(text: string, tokens: number, end: Step['end'] = 'eos'): Step {
  return { text, tokens, meanLogprob: 0, end };
}

function texts(steps: readonly Step[]): string[] {
  return steps.map(({ text }) => text);
}

it('cuts behind each delimiter, and ends the last step as the answer ended', () => {
  const steps = stepsOf(whole('one\n\ntwo###three', 13), plain);
  expect(texts(steps)).toEqual(['one\n\n', 'two###', 'three']);
  expect(steps.map(({ end }) => end)).toEqual(['delimiter', 'delimiter', 'eos']);
  expect(texts(stepsOf(whole('\n\n one\n\n\n\ntwo', 9), plain))).toEqual(['\n\n one\n\n', '\n\ntwo']);
  expect(texts(stepsOf(whole('', 1), plain))).toEqual(['']);
});

it('gives the end of an answer behind a delimiter a step of its own, as a server does, and a cut there none', () => {
  expect(stepsOf(whole('one\n\n', 4), plain)).toMatchObject([
    { text: 'one\n\n', tokens: 3, end: 'delimiter' },
    { text: '', tokens: 1, end: 'eos' },
  ]);
  expect(stepsOf(whole('one\n\n', 4, 'length'), plain)).toMatchObject([
    { text: 'one\n\n', tokens: 4, end: 'delimiter' },
  ]);
  expect(stepsOf(whole('one', 4, 'length'), plain)).toMatchObject([{ text: 'one', tokens: 4, end: 'length' }]);
});

it('takes the thinking of a model that was not known to think for a step of its own', () => {
  const asked = { ...plain, thinking };
  const steps = stepsOf(whole('<think>so\n\nso</think>\n\none\n\ntwo', 33), asked);
  expect(texts(steps)).toEqual(['<think>so\n\nso</think>', '\n\none\n\n', 'two']);
  expect(steps[0]?.thought).toMatchObject({ chars: steps[0]!.text.length });
  expect(steps.slice(1).some(({ thought }) => thought !== undefined)).toBe(false);
  const open = stepsOf(whole('<think>so\n\nso', 9, 'length'), asked);
  expect(open).toMatchObject([{ tokens: 9, end: 'length', thought: { open: true } }]);
});

it('loses no character and no token, whatever the text', () => {
  const piece = fc.constantFrom('\n\n', '\n', '###', '#', 'word', ' ', '<think>', '</think>');
  fc.assert(
    fc.property(fc.array(piece), fc.nat(50), fc.constantFrom('eos', 'length'), (pieces, tokens, end) => {
      const text = pieces.join('');
      for (const asked of [plain, { ...plain, thinking }]) {
        const steps = stepsOf(whole(text, tokens, end), asked);
        expect(texts(steps).join('')).toBe(text);
        expect(steps.reduce((sum, each) => sum + each.tokens, 0)).toBe(tokens);
        expect(steps.slice(0, -1).every((each) => each.text.trim() !== '' && each.end === 'delimiter')).toBe(true);
      }
    }),
  );
});

it('reads a long text of short steps in one go', () => {
  expect(stepsOf(whole('a\n\n'.repeat(300_000), 900_000), plain)).toHaveLength(300_001);
});
