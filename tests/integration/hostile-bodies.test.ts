// Bodies that no client means, to every API: each is refused with a 400 or answered, never a failure of the server.

import { expect, test } from 'vitest';
import { post, runGateway } from '../support/running-gateway.ts';

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
