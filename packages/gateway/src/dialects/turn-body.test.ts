import { expect, test } from 'vitest';
import { argumentsOf, turnMessage } from './turn-body.ts';

const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

test.each([
  ['an object', '{"a":[1,"b"]}', { a: [1, 'b'] }],
  ['none', '', {}],
  ['a list', '[1]', { arguments: [1] }],
  ['broken JSON', '{"a":', { arguments: '{"a":' }],
  ['levels that a body holds', nested(90), JSON.parse(nested(90))],
  ['more, which nobody could send back', nested(200), { arguments: nested(200) }],
  ['more, which cannot be written', nested(9000), { arguments: nested(9000) }],
  ['half a character', '{"a":["\\ud83d"]}', { a: ['\ufffd'] }],
])('arguments as an object: %s', (_, text, object) => {
  expect(argumentsOf(text)).toEqual(object);
});

test.each([
  ['a text', 'x', 'x'],
  ['parts', [{ type: 'text', text: 'x' }, null, 5, { type: 'image_url' }, { text: 'y' }], 'x\ny'],
  ['an object', { a: 1 }, ''],
  ['a number', 5, ''],
  ['nothing', null, ''],
])('the words of a result: %s', (_, content, said) => {
  const message = { role: 'tool', tool_call_id: 'c', content } as Parameters<typeof turnMessage>[0];
  expect(turnMessage(message)).toEqual({ role: 'assistant', content: said, written: message });
});
