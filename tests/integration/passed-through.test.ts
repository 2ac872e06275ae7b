// What is passed through to an engine's own endpoint is kept like a search of one node: found, counted, and byte for byte what
// the engine said.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { runGateway } from '../support/running-gateway.ts';

const tools = [{ type: 'function', function: { name: 'add' } }];
const asked = { model: 'm', messages: [{ role: 'user', content: 'what is 2 and 2?' }] };

function events(list: readonly object[]): string {
  return `${list.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`;
}

/** A server that gives one answer to everything. */
async function served(body: string, type = 'application/json', status = 200) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(status, { 'content-type': type }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const running = await runGateway({
    upstream: { urls: [`http://127.0.0.1:${port}/v1`], model: 'real', headers: {} },
  });
  const ask = async (path: string, more: object) => {
    const headers = { 'content-type': 'application/json' };
    const asking = { method: 'POST', headers, body: JSON.stringify({ ...asked, ...more }) };
    const answer = await fetch(`${running.url}${path}`, asking);
    const text = await answer.text();
    const id = answer.headers.get('x-coppice-search') ?? '';
    await running.journal.flush();
    return { status: answer.status, text, id, search: (await (await read(id)).json()) as Loose };
  };
  const read = (id: string) => fetch(`${running.url}/v1/searches/${id}`);
  return { ...running, ask, body };
}

const usage = { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 5 } };

test('a chat with tools is kept with its answer and usage', async () => {
  const calls = [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":2}' } }];
  const choices = [
    { index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' },
  ];
  const { ask, body, url } = await served(JSON.stringify({ id: 'x', choices, usage }));
  const { text, id, search } = await ask('/v1/chat/completions', { tools });
  expect(text).toBe(body);
  expect(search).toMatchObject({
    id,
    state: 'done',
    mode: 'direct',
    title: 'what is 2 and 2?',
    exit: { kind: 'exhausted', rule: 'passed-through', evidence: { status: 200 } },
    request: { tools },
    result: { content: 'add {"a":2}', usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } },
  });
  expect(search.result.usage.prompt_tokens_details.cached_tokens).toBe(5);
  const listed = (await (await fetch(`${url}/v1/searches`)).json()) as Loose;
  expect(listed.data.map((each: Loose) => each.id)).toEqual([id]);
  const log = await (await fetch(`${url}/v1/searches/${id}/events`)).text();
  expect(log.match(/"type":"(\w+)"/g)).toHaveLength(10);
});

test('streams are passed on as they come, and read along', async () => {
  const delta = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
  const stream = events([delta('two and two '), delta('is four'), { choices: [], usage }]);
  const { ask } = await served(stream, 'text/event-stream; charset=utf-8');
  const { text, search } = await ask('/v1/chat/completions', { tools, stream: true });
  expect(text).toBe(stream);
  expect(search.result).toMatchObject({ content: 'two and two is four', usage: { completion_tokens: 4 } });
});

test('a stream that tells no usage is counted by its pieces', async () => {
  const delta = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
  const { ask } = await served(events([delta('a'), delta('b'), delta('c')]), 'text/event-stream');
  const { search } = await ask('/v1/chat/completions', { tools, stream: true });
  expect(search.result.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 3 });
});

test.each([
  ['/v1/chat/completions', { response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } } }],
  ['/v1/responses', { input: 'x', messages: undefined, text: { format: { type: 'json_object' } } }],
  ['/v1/messages', { max_tokens: 5, output_config: { format: { type: 'json_schema', schema: {} } } }],
])("an answer in a given shape is the engine's own: %s", async (path, more) => {
  const { ask, body } = await served('{"usage":{"output_tokens":3}}');
  const { text, search } = await ask(path, more);
  expect(text).toBe(body);
  expect(search).toMatchObject({ state: 'done', mode: 'direct', exit: { rule: 'passed-through' } });
});

test('messages and responses are read in their own words', async () => {
  const whole = {
    type: 'message',
    content: [
      { type: 'text', text: 'four' },
      { type: 'tool_use', name: 'add', input: { a: 2 } },
    ],
    stop_reason: 'max_tokens',
    usage: { input_tokens: 8, output_tokens: 2 },
  };
  const message = await served(JSON.stringify(whole));
  const { search } = await message.ask('/v1/messages', { max_tokens: 5, tools: [{ name: 'add' }] });
  expect(search.result).toMatchObject({ content: 'four', finish_reason: 'length', usage: { total_tokens: 10 } });
  const streamed = events([
    { type: 'message_start', message: { usage: { input_tokens: 8, output_tokens: 1 } } },
    { type: 'content_block_start', content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'fo' } },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'ur' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  ]);
  const stream = await served(streamed, 'text/event-stream');
  const second = await stream.ask('/v1/messages', { max_tokens: 5, stream: true, tools: [{ name: 'add' }] });
  expect(second.search.result).toMatchObject({ content: 'four', usage: { total_tokens: 10 } });
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'four' }] }];
  const response = { object: 'response', status: 'completed', output, usage: { input_tokens: 3, output_tokens: 4 } };
  const last = events([
    { type: 'response.output_text.delta', delta: 'four' },
    { type: 'response.completed', response },
  ]);
  for (const [said, type] of [
    [JSON.stringify(response), 'application/json'],
    [last, 'text/event-stream'],
  ] as const) {
    const third = await (await served(said, type)).ask('/v1/responses', { input: 'x', messages: undefined, tools });
    expect(third.search.result).toMatchObject({ content: 'four', usage: { total_tokens: 7 } });
  }
});

test('what failed is kept as failed, and nonsense breaks nothing', async () => {
  const refused = await served('{"error":{"message":"no"}}', 'application/json', 422);
  const first = await refused.ask('/v1/chat/completions', { tools });
  expect([first.status, first.search.state, first.search.error.code]).toEqual([422, 'failed', 'engine_failed']);
  const nonsense = await served('[[[', 'application/json');
  const second = await nonsense.ask('/v1/chat/completions', { tools });
  expect([second.text, second.search.state, second.search.result.content]).toEqual(['[[[', 'done', '']);
});
