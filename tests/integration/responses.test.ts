// The Responses API with the official OpenAI client and Vercel's AI SDK, unchanged, against a real gateway on loopback.

import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import OpenAI, { NotFoundError } from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, test, vi } from 'vitest';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { newKey } from '../../packages/gateway/src/http/keys.ts';
import { type RunningOptions, runGateway } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

async function client(options: RunningOptions = {}, apiKey = 'unused') {
  const running = await runGateway(options);
  return { ...running, openai: new OpenAI({ baseURL: `${running.url}/v1`, apiKey, maxRetries: 0 }) };
}

const ask = { model: 'm', input: 'make 24 from 4 7 8 8' } as const;

async function all(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function untilOpen(engine: { readonly open: number }): Promise<void> {
  await until(() => engine.open > 0);
}

test('a response that is referred to a thousand times is read once', async () => {
  const { openai, journal } = await client();
  const { id } = await openai.responses.create(ask);
  const find = vi.spyOn(journal, 'find');
  const input = Array.from({ length: 900 }, () => ({ type: 'item_reference', id }) as const);
  await openai.responses.create({ ...ask, input: [...input, { role: 'user', content: 'And now?' }] });
  expect(find.mock.calls.filter(([each]) => id.endsWith(each.slice(5))).length).toBe(1);
});

describe('the openai package', () => {
  test('gets an answer, and reads the same one again', async () => {
    const { openai } = await client();
    const made = await openai.responses.create({ ...ask, instructions: 'Be brief.', metadata: { a: 'b' } });
    expect(made).toMatchObject({
      status: 'completed',
      object: 'response',
      model: 'm',
      metadata: { a: 'b' },
      store: true,
    });
    expect(made.output_text).toMatch(/^The answer is/);
    expect(made.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(made.output[0]).toMatchObject({
      summary: [{ text: expect.stringMatching(/Ended as accepted/) }],
      content: [{ text: 'step 1 way 0\n\nstep 2 way 0\n\n' }],
    });
    expect(made.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const again = await openai.responses.retrieve(made.id, { include: ['message.output_text.logprobs'] });
    expect({ ...again, coppice: 0, usage: 0 }).toEqual({ ...made, coppice: 0, usage: 0 });
  });

  test.each([true, false])(
    'streams with numbers in a row, and its helper puts the same together (store %s)',
    async (store) => {
      const { openai } = await client();
      const events = await all(await openai.responses.create({ ...ask, store, stream: true }));
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
      expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
      const last = events.at(-1)!;
      if (last.type !== 'response.completed') throw new Error(last.type);
      const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
      expect(text).toMatch(/^The answer is/);
      const helped = await openai.responses.stream({ ...ask, store }).finalResponse();
      expect(helped.output_text).toMatch(/^The answer is/);
      expect(helped.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      const read = openai.responses.retrieve(last.response.id);
      if (store) expect((await read).status).toBe('completed');
      else await expect(read).rejects.toThrowError(NotFoundError);
    },
  );

  test('runs in the background; a stream resumed after any event goes on with the next', async () => {
    const { openai, engine } = await client({ scripted: { held: true } });
    const made = await openai.responses.create({ ...ask, background: true });
    expect(['queued', 'in_progress']).toContain(made.status);
    await untilOpen(engine);
    // The engine is asked before the gateway hears that the search runs.
    await expect.poll(async () => (await openai.responses.retrieve(made.id)).status).toBe('in_progress');
    engine.release();
    const events = await all(await openai.responses.retrieve(made.id, { stream: true }));
    expect(events.at(-1)?.type).toBe('response.completed');
    for (const after of [0, 3, events.length - 2]) {
      const rest = await all(await openai.responses.retrieve(made.id, { stream: true, starting_after: after }));
      expect(rest).toEqual(events.slice(after + 1));
    }
  });

  test('cancels in the background, and deletes', async () => {
    const { openai, engine, journal } = await client({ scripted: { held: true } });
    const made = await openai.responses.create({ ...ask, background: true });
    await untilOpen(engine);
    expect((await openai.responses.cancel(made.id)).status).toBe('cancelled');
    engine.release();
    await openai.responses.delete(made.id);
    await expect(openai.responses.retrieve(made.id)).rejects.toThrowError(NotFoundError);
    expect(await journal.list({ limit: 10 })).toEqual([]);
  });

  test('goes on from a response that it names, without its instructions', async () => {
    const { openai, engine } = await client();
    const first = await openai.responses.create({ ...ask, instructions: 'one' });
    const second = await openai.responses.create({
      ...ask,
      input: 'why?',
      previous_response_id: first.id,
      instructions: 'two',
    });
    const third = await openai.responses.create({ ...ask, input: 'sure?', previous_response_id: second.id });
    expect(third.previous_response_id).toBe(second.id);
    const prompt = engine.asked.at(-1)?.prompt;
    expect(prompt?.kind === 'chat' && prompt.messages).toEqual([
      { role: 'user', content: ask.input },
      { role: 'assistant', content: first.output_text },
      { role: 'user', content: 'why?' },
      { role: 'assistant', content: second.output_text },
      { role: 'user', content: 'sure?' },
    ]);
  });

  const refused: [string, object][] = [
    ['tools', { tools: [{ type: 'function', name: 'f' }] }],
    ['text.format', { text: { format: { type: 'json_object' } } }],
    ['top_logprobs', { top_logprobs: 2 }],
    ['n', { n: 2 }],
    ['conversation', { conversation: 'conv_1' }],
    ['store', { background: true, store: false }],
    ['input.0', { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] }],
    ['input.0.content.0', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['previous_response_id', { previous_response_id: 'resp_nothing' }],
    ['coppice.nonsense', { coppice: { nonsense: 1 } }],
  ];
  test.each(refused)('is refused %s by name', async (param, body) => {
    const { openai } = await client();
    const error = await openai.responses.create({ ...ask, ...body } as typeof ask).catch((each: unknown) => each);
    expect(error).toMatchObject({ param });
  });

  test.each(['store', 'background', 'previous_response_id'])('without stored texts %s is refused', async (name) => {
    const { openai } = await client({ journal: new SqliteJournal({ path: ':memory:', texts: 'until-end' }) });
    const body = { ...ask, [name]: name === 'previous_response_id' ? 'resp_1' : true };
    await expect(openai.responses.create(body)).rejects.toMatchObject({ param: name, code: 'unsupported_parameter' });
    const plain = await openai.responses.create(ask);
    expect([plain.status, (plain as { store?: boolean }).store]).toEqual(['completed', false]);
  });

  test('a failed search is an error, and in a stream a failed response', async () => {
    const { openai } = await client({ scripted: { script: () => 'fault' } });
    await expect(openai.responses.create(ask)).rejects.toMatchObject({ status: 502 });
    const events = await all(await openai.responses.create({ ...ask, stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
  });

  test('a key sees its own responses alone', async () => {
    const [mine, other] = [newKey(), newKey()];
    const keys = [
      { name: 'mine', hash: mine.hash },
      { name: 'other', hash: other.hash },
    ];
    const { openai, url } = await client({ config: { keys } }, mine.key);
    const made = await openai.responses.create(ask);
    const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: other.key, maxRetries: 0 });
    for (const call of [
      () => stranger.responses.retrieve(made.id),
      () => stranger.responses.delete(made.id),
      () => stranger.responses.create({ ...ask, previous_response_id: made.id }),
    ])
      await expect(call()).rejects.toThrowError(NotFoundError);
  });
});

describe('the ai package', () => {
  test('generates, streams, and goes on with its own items', async () => {
    const { url, engine } = await runGateway();
    const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'unused' });
    const { text, response } = await generateText({ model: openai('m'), prompt: ask.input });
    expect(text).toMatch(/^The answer is/);
    const messages = [
      { role: 'user' as const, content: ask.input },
      ...response.messages,
      { role: 'user' as const, content: 'why?' },
    ];
    const second = streamText({ model: openai('m'), messages });
    let streamed = '';
    for await (const part of second.fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') streamed += part.text;
    }
    expect(streamed).toMatch(/^The answer is/);
    const prompt = engine.asked.at(-1)?.prompt;
    expect(prompt?.kind === 'chat' && prompt.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', ask.input],
      ['assistant', text],
      ['user', 'why?'],
    ]);
  });
});
