// Bodies that no client means, to every API: each is refused with a 400 or answered, never a failure of the server.

import { expect, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { post, question, runGateway } from '../support/running-gateway.ts';

const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const user = '{"role":"user","content":"x"}';

const bodies: readonly [string, string][] = [
  ['chat/completions', `{"model":"m","messages":[{"role":"user","content":"x","reasoning_content":${deep}}]}`],
  ['responses', `{"model":"m","input":[{"type":"reasoning","x":${deep}},${user}]}`],
  ['responses', `{"model":"m","input":[{"role":"user","content":"x","status":${deep}}]}`],
  ['responses', '{"model":"m","input":[null]}'],
  ['responses', '{"model":"m","input":[{"type":"reasoning"}]}'],
  ['responses', '{"model":"m","input":[{"type":"item_reference","id":"msg_00000000000000000000000000000000"}]}'],
  ['responses', '{"model":"m","input":"x","previous_response_id":""}'],
  ['responses', '{"model":"m","input":"x","tools":{"a":1}}'],
  ['messages', '{"model":"m","max_tokens":5,"messages":[null]}'],
  ['messages', '{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[null]}]}'],
  ['messages', `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"thinking","x":${deep}}]}]}`],
  [
    'messages',
    `{"model":"m","max_tokens":5,"system":[{"type":"text","text":"a","cache_control":${deep}}],"messages":[${user}]}`,
  ],
  ['embeddings', '{"model":["m"]}'],
  ['completions', deep],
  ...['responses', 'messages', 'messages/count_tokens', 'embeddings', 'completions'].flatMap((path) =>
    ['null', '5', '"x"', '[]', '{}'].map((body): [string, string] => [path, body]),
  ),
];

test('are refused by name', async () => {
  const { url } = await runGateway({ config: { server: { foreignNames: 'refuse' } } });
  for (const [path, body] of bodies) {
    const { status } = await post(`${url}/v1/${path}`, body);
    expect([400, 404], `${path} ${body.slice(0, 80)}`).toContain(status);
  }
});

test('more parts than any request has are refused before they are read, and so are more values than a schema reads in time', async () => {
  const { url } = await runGateway();
  const list = (item: string, count: number) => Array(count).fill(item).join(',');
  const tooMany: readonly [string, RegExp][] = [
    [`{"model":"m","messages":[${list('{}', 60_000)}]}`, /more than 50000 fields, objects and lists/],
    [`{"model":"m","messages":[${user}],"metadata":{${list('"a":1', 60_000)}}}`, /more than 50000 fields/],
    [`{"model":"m","messages":[${list('null', 30_000)}]}`, /more than 20000 values/],
  ];
  for (const path of ['chat/completions', 'searches', 'messages', 'messages/count_tokens']) {
    for (const [body, reason] of tooMany) {
      const response = await post(`${url}/v1/${path}`, body);
      expect([response.status, await response.text()], path).toEqual([400, expect.stringMatching(reason)]);
    }
  }
  // Brackets and colons in a text are no parts.
  const text = JSON.stringify({ ...question, messages: [{ role: 'user', content: '\\"[{:'.repeat(20_000) }] });
  expect((await post(`${url}/v1/chat/completions`, text)).status).toBe(200);
});

/** As JSON escapes it: half of a character, which no database of texts takes. */
const half = '\\ud83d';
const told = (where: string) =>
  `${where} holds half of a surrogate pair (\\ud800 to \\udfff alone), which is no character in UTF-8`;

const halves: readonly [string, string, string | null][] = [
  ['chat/completions', `{"model":"m","messages":[${user},{"role":"user","content":"x${half}"}]}`, 'messages.1.content'],
  ['chat/completions', `{"model":"m","messages":[${user}],"metadata":{"a${half}":"x"}}`, 'metadata.a\ufffd'],
  ['responses', `{"model":"m","input":"${half}x"}`, 'input'],
  ['messages', `{"model":"m","max_tokens":5,"messages":[${user}],"system":"${half}"}`, 'system'],
  ['messages/count_tokens', `{"model":"m","messages":[{"role":"${half}","content":"x"}]}`, 'messages.0.role'],
  ['searches', `{"model":"m","messages":[${user}],"title":"\\udc00"}`, 'title'],
  [
    'batches',
    `{"input_file_id":"f","endpoint":"/v1/responses","completion_window":"24h","metadata":{"a":"${half}"}}`,
    'metadata.a',
  ],
  ['embeddings', `{"model":"m","input":["x","${half}"]}`, 'input.1'],
  ['completions', `"${half}"`, null],
];

test('half of a character is refused with the name of its field, a whole one is not', async () => {
  const { url } = await runGateway();
  for (const [path, body, param] of halves) {
    const response = await post(`${url}/v1/${path}`, body);
    const { error } = (await response.json()) as Loose;
    expect([response.status, error.code, error.param, error.message], path).toEqual([
      400,
      'invalid_value',
      param,
      told(param === null ? 'the body' : `'${param}'`),
    ]);
  }
  const whole = await post(`${url}/v1/searches`, `{"model":"m","messages":[${user}],"title":"${half}\\ude00"}`);
  expect([whole.status, ((await whole.json()) as Loose).title]).toEqual([200, '\u{1f600}']);
});
