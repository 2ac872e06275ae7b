// What the compliance tests of Open Responses look at, as far as it can be looked at without them: the fields that a response must have,
// the events that a stream may have, and the requests of their checks that need neither tools nor pictures.

import { expect, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { post, runGateway, serverEvents } from '../support/running-gateway.ts';

const user = (content: string) => ({ type: 'message', role: 'user', content });

const checks: Readonly<Record<string, readonly object[]>> = {
  'basic-response': [user('Say hello in exactly 3 words.')],
  'system-prompt': [{ type: 'message', role: 'system', content: 'You are a pirate.' }, user('Say hello.')],
  'multi-turn': [
    user('My name is Alice.'),
    { type: 'message', role: 'assistant', content: 'Hello Alice!' },
    user('What is my name?'),
  ],
};

/** Each with the types that it may have; `null` is one. */
const required: Readonly<Record<string, readonly string[]>> = {
  id: ['string'],
  object: ['string'],
  created_at: ['integer'],
  completed_at: ['integer', 'null'],
  status: ['string'],
  incomplete_details: ['object', 'null'],
  model: ['string'],
  previous_response_id: ['string', 'null'],
  instructions: ['string', 'null'],
  output: ['array'],
  error: ['object', 'null'],
  tools: ['array'],
  tool_choice: ['string', 'object'],
  truncation: ['string'],
  parallel_tool_calls: ['boolean'],
  text: ['object'],
  top_p: ['number', 'integer'],
  presence_penalty: ['number', 'integer'],
  frequency_penalty: ['number', 'integer'],
  top_logprobs: ['integer'],
  temperature: ['number', 'integer'],
  reasoning: ['object', 'null'],
  user: ['string', 'null'],
  usage: ['object', 'null'],
  max_output_tokens: ['integer', 'null'],
  max_tool_calls: ['integer', 'null'],
  store: ['boolean'],
  background: ['boolean'],
  service_tier: ['string'],
  metadata: ['object'],
  safety_identifier: ['string', 'null'],
  prompt_cache_key: ['string', 'null'],
};

const eventTypes = [
  ...['created', 'queued', 'in_progress', 'completed', 'failed', 'incomplete'],
  ...['output_item.added', 'output_item.done', 'content_part.added', 'content_part.done'],
  ...['output_text.delta', 'output_text.done', 'refusal.delta', 'refusal.done'],
  ...['reasoning_summary_part.added', 'reasoning_summary_part.done', 'reasoning_text.delta', 'reasoning_text.done'],
  ...['reasoning_summary_text.delta', 'reasoning_summary_text.done'],
].map((name) => `response.${name}`);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function expectResource(response: Loose): void {
  for (const [name, types] of Object.entries(required))
    expect([name, types.includes(typeOf(response[name]))]).toEqual([name, true]);
}

test.each(Object.entries(checks))('%s: a completed response with every field', async (_, input) => {
  const { url } = await runGateway();
  const response = (await (await post(`${url}/v1/responses`, { model: 'm', input, stream: false })).json()) as Loose;
  expectResource(response);
  expect([response.status, response.output.length > 0]).toEqual(['completed', true]);
  expect(response.completed_at).toBeGreaterThanOrEqual(response.created_at);
  const again = (await (await fetch(`${url}/v1/responses/${response.id}`)).json()) as Loose;
  expect(again).toEqual(response);
});

test('streaming-response: events that a parser of theirs knows, dense from 0, the last with the whole response', async () => {
  const { url } = await runGateway();
  const body = { model: 'm', input: [user('Count from 1 to 5.')], stream: true };
  const events: Loose[] = [];
  for await (const { event, data } of serverEvents(await post(`${url}/v1/responses`, body))) {
    if (data === undefined || data === '' || data === '[DONE]') continue;
    events.push(JSON.parse(data));
    expect(event).toBe(events.at(-1).type);
  }
  for (const { type } of events) expect(eventTypes).toContain(type);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
  expect(events.at(-1).type).toBe('response.completed');
  for (const { response } of events) if (response !== undefined) expectResource(response);
  expect(events[0].response.completed_at).toBeNull();
});

test('tool-calling and image-input: refused by name where no engine of its own takes them', async () => {
  const { url } = await runGateway();
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }];
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
  for (const body of [
    { input: [user('x')], tools },
    { input: [{ type: 'message', role: 'user', content: [picture] }] },
  ]) {
    const answer = await post(`${url}/v1/responses`, { model: 'm', ...body });
    expect([answer.status, typeof ((await answer.json()) as Loose).error.param]).toEqual([400, 'string']);
  }
});
