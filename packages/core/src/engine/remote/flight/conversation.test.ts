import { expect, test } from 'vitest';
import { behind, below } from '../../../testing/case/paths.ts';
import type { Step } from '../../../tree/step.ts';
import { conversation } from './call.ts';

const step = (text: string): Step => ({ text, tokens: 1, meanLogprob: 0, end: 'eos' });
const messages = [{ role: 'user', content: 'q' }] as const;
const path = below(behind(below(below([], step('one, ')), step('two')), 'wrong'), step('three'));

test('a path behind a chat is messages up to its last turn, and the text behind that', () => {
  expect(conversation({ prompt: { kind: 'chat', messages }, path })).toEqual({
    said: [
      { role: 'assistant', content: 'one, two' },
      { role: 'user', content: 'wrong' },
    ],
    pathText: 'three',
  });
});

test('behind plain text a turn is a paragraph', () => {
  expect(conversation({ prompt: { kind: 'text', text: 'q' }, path })).toEqual({
    pathText: 'one, two\n\nwrong\n\nthree',
  });
});

test('a path without turns is its text', () => {
  const plain = below([], step('one'));
  expect(conversation({ prompt: { kind: 'chat', messages }, path: plain })).toEqual({ pathText: 'one' });
});
