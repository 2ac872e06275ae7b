// The Messages API with the official Anthropic client, unchanged, against a real gateway on loopback.

import Anthropic, { AuthenticationError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { newKey } from '../../packages/gateway/src/http/keys.ts';
import { type RunningOptions, runGateway } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

async function client(options: RunningOptions = {}, apiKey = 'unused') {
  const running = await runGateway(options);
  return { ...running, anthropic: new Anthropic({ baseURL: running.url, apiKey, maxRetries: 0 }) };
}

const ask = { model: 'm', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'make 24 from 4 7 8 8' }] };

describe('the anthropic package', () => {
  test('gets an answer, with the steps before it where it asks for them', async () => {
    const { anthropic, engine } = await client();
    const plain = await anthropic.messages.create({ ...ask, system: 'Be brief.' });
    expect(plain).toMatchObject({ type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' });
    // `citations: null` made the AI SDK's Anthropic provider refuse the whole answer.
    expect(plain.content).toEqual([{ type: 'text', text: expect.stringMatching(/^The answer is/) }]);
    expect(plain.usage.output_tokens).toBeGreaterThan(0);
    expect(plain._request_id).toMatch(/^req_/);
    expect(plain.usage).toMatchObject({
      coppice: { verdict: 'accepted', verdict_text: expect.stringMatching(/^acc/) },
    });
    const prompt = engine.asked.at(-1)?.prompt;
    expect(prompt?.kind === 'chat' && prompt.messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
    const thought = await anthropic.messages.create({ ...ask, thinking: { type: 'enabled', budget_tokens: 2000 } });
    expect(thought.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(thought.content[0]).toMatchObject({ thinking: 'step 1 way 0\n\nstep 2 way 0\n\n' });
  });

  test('goes on with its own blocks', async () => {
    const { anthropic, engine } = await client();
    const thinking = { type: 'enabled', budget_tokens: 2000 } as const;
    const first = await anthropic.messages.create({ ...ask, thinking });
    const again = { role: 'assistant' as const, content: first.content };
    await anthropic.messages.create({ ...ask, messages: [...ask.messages, again, { role: 'user', content: 'why?' }] });
    const prompt = engine.asked.at(-1)?.prompt;
    expect(prompt?.kind === 'chat' && prompt.messages.map(({ content }) => content)).toEqual([
      'make 24 from 4 7 8 8',
      expect.stringMatching(/^The answer is/),
      'why?',
    ]);
  });

  test.each([true, false])('streams, and its helper puts the same message together (thinking %s)', async (thinks) => {
    const { anthropic } = await client();
    const body = thinks ? { ...ask, thinking: { type: 'adaptive' as const } } : ask;
    const types: string[] = [];
    let read = 0;
    const stream = anthropic.messages.stream(body).on('streamEvent', (event) => {
      types.push(event.type);
      if (event.type === 'message_start') read = event.message.usage.input_tokens;
    });
    const helped = await stream.finalMessage();
    expect(helped.content.map(({ type }) => type)).toEqual(thinks ? ['thinking', 'text'] : ['text']);
    expect(helped.content.at(-1)).toMatchObject({ text: expect.stringMatching(/^The answer is/) });
    expect([types[0], ...types.slice(-2)]).toEqual(['message_start', 'message_delta', 'message_stop']);
    expect(helped.usage.output_tokens).toBeGreaterThan(0);
    expect(read).toBeGreaterThan(5);
  });

  test('an abort goes down to the engine; a failure in a stream is thrown', async () => {
    const { anthropic, engine } = await client({ scripted: { held: true } });
    const stream = anthropic.messages.stream(ask);
    const ended = stream.done().catch(() => 'aborted');
    await until(() => engine.open > 0);
    stream.abort();
    expect(await ended).toBe('aborted');
    await until(() => engine.open === 0);
    const broken = await client({ scripted: { script: () => 'fault' } });
    await expect(broken.anthropic.messages.stream(ask).finalMessage()).rejects.toThrowError(/could not go on/);
  });

  const refused: [string, object][] = [
    ['tools', { tools: [{ name: 'f', input_schema: { type: 'object' } }] }],
    ['messages.0.content.0', { messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] }],
    ['output_config.effort', { output_config: { effort: 'endless' } }],
    ['output_config.format', { output_config: { format: { type: 'json_schema' } } }],
    ['max_tokens', { max_tokens: 0 }],
    ['guided_json', { guided_json: {} }],
    ['coppice.nonsense', { coppice: { nonsense: 1 } }],
  ];
  test.each(refused)('is refused %s by name, in its own shape', async (param, body) => {
    const { anthropic } = await client();
    const error = await anthropic.messages.create({ ...ask, ...body }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ error: { type: 'error', error: { type: 'invalid_request_error', param } } });
  });

  test('has its key in a header of its own; a model that is not there is not found', async () => {
    const { key, hash } = newKey();
    const config = { keys: [{ name: 'k', hash }] };
    const known = await client({ config, more: [{ model: { name: 'n' }, engine: (await client()).engine }] }, key);
    expect((await known.anthropic.messages.create(ask)).stop_reason).toBe('end_turn');
    await expect(known.anthropic.messages.create({ ...ask, model: 'gone' })).rejects.toThrowError(NotFoundError);
    const wrong = new Anthropic({ baseURL: known.url, apiKey: 'wrong', maxRetries: 0 });
    await expect(wrong.messages.create(ask)).rejects.toThrowError(AuthenticationError);
  });

  test('counts tokens, and says that it estimates', async () => {
    const { anthropic } = await client();
    const { max_tokens: _, ...prompt } = ask;
    expect(await anthropic.messages.countTokens(prompt)).toEqual({ input_tokens: 9, coppice: { estimate: true } });
    const data = 'A'.repeat(100_000);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const;
    const called = { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } } as const;
    const messages: Anthropic.MessageParam[] = [...prompt.messages, { role: 'assistant', content: [called] }];
    const tools = [{ name: 'f', description: 'x'.repeat(400), input_schema: { type: 'object' as const } }];
    const agent = { ...prompt, tools, messages: [...messages, { role: 'user' as const, content: [image] }] };
    const counted = await anthropic.messages.countTokens(agent);
    expect(counted.input_tokens).toBeGreaterThan(100);
    expect(counted.input_tokens).toBeLessThan(300);
  });
});
