import { expect, it } from 'vitest';
import { writtenCalls } from './written-calls.ts';

const call = { name: 'list_issues', arguments: { project: 'mobile', limit: 11 } };
const json = JSON.stringify(call);
const read = { name: 'list_issues', arguments: '{"project":"mobile","limit":11}' };

it.each([
  ['alone', json, 1],
  ['with a line behind it', `${json}\n`, 1],
  ['in a fence', `\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\``, 1],
  ['between tags', `<tool_call>\n${json}\n</tool_call>\n<tool_call>\n${json}\n</tool_call>`, 2],
  ['in a row', `${json}\n${json}`, 2],
  ['in a list', `[${json}, ${json}]`, 2],
])('reads calls %s', (_, text, count) => {
  expect(writtenCalls(text)).toEqual(Array(count).fill(read));
});

it('takes `parameters` for arguments', () => {
  expect(writtenCalls('{"name": "ping", "parameters": {"text": "} {"}}')).toEqual([
    { name: 'ping', arguments: '{"text":"} {"}' },
  ]);
});

it.each([
  ['words', 'The order was shipped.'],
  ['words around a call', `You can call it so: ${json}`],
  ['an answer in JSON', '{"name": "Ida", "age": 8}'],
  ['a call and something else', `[${json}, {"age": 8}]`],
  ['broken JSON', `{${json}}`],
  ['nothing', ''],
])('reads no call in %s', (_, text) => {
  expect(writtenCalls(text)).toEqual([]);
});

it('changes no text of an argument', () => {
  const given = { text: '```json\n{} {}\n```<tool_call>' };
  const one = JSON.stringify({ name: 'write', arguments: given });
  for (const text of [one, `<tool_call>${one}</tool_call>\n<tool_call>${one}</tool_call>`])
    for (const call of writtenCalls(text)) expect(JSON.parse(call.arguments)).toEqual(given);
  expect(writtenCalls(`${one}\n${one}`)).toHaveLength(2);
});
