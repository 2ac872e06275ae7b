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
  ['in one line', `${json}, ${json}`, 2],
  ['in a fence between words', `I list them:\n\`\`\`json\n${json}\n\`\`\`\nThat is all.`, 1],
  ['before a made-up answer', `${json}\n<tool_response>\n{"status":"ok"}\n</tool_response>`, 1],
  ['behind one', `{"status":"ok"}\n${json}`, 1],
  ['before the next speaker', `${json}\n<|im_start|>\n`, 1],
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
  ['brackets too deep to be written again', `{"name": "f", "arguments": {"a": ${'['.repeat(1e5)}${']'.repeat(1e5)}}}`],
  ['nothing', ''],
])('reads no call in %s', (_, text) => {
  expect(writtenCalls(text)).toEqual([]);
});

it('takes a time that grows with the text', () => {
  const long = `{${' '.repeat(1e6)}`;
  for (const text of [long, '{\n'.repeat(3e4), '}\n{"'.repeat(3e4), `${' '.repeat(1e6)}"{`, '[\n]{'.repeat(3e4)])
    expect(writtenCalls(text)).toEqual([]);
});

it('changes no text of an argument', () => {
  const given = { text: '```json\n{} {}\n```<tool_call>' };
  const one = JSON.stringify({ name: 'write', arguments: given });
  for (const text of [one, `<tool_call>${one}</tool_call>\n<tool_call>${one}</tool_call>`])
    for (const call of writtenCalls(text)) expect(JSON.parse(call.arguments)).toEqual(given);
  expect(writtenCalls(`${one}\n${one}`)).toHaveLength(2);
});
