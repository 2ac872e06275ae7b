// The official OpenAI client for Node, unchanged, against a real gateway on loopback.

import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { describe, expect, test } from 'vitest';
import { newKey } from '../../packages/gateway/src/http/keys.ts';
import { question, type RunningOptions, runGateway } from '../support/running-gateway.ts';
import type { Script } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

async function client(options: RunningOptions = {}, apiKey = 'unused', maxRetries = 0) {
  const running = await runGateway(options);
  return { ...running, openai: new OpenAI({ baseURL: `${running.url}/v1`, apiKey, maxRetries }) };
}

const ask = { ...question, messages: [{ role: 'user' as const, content: 'make 24 from 4 7 8 8' }] };

describe('the openai package', () => {
  test('lists models and reads one', async () => {
    const { openai } = await client();
    const models = await openai.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['m']);
    expect((await openai.models.retrieve('m')).id).toBe('m');
  });

  test('gets an answer with usage', async () => {
    const { openai } = await client();
    const answer = await openai.chat.completions.create({ ...ask, reasoning_effort: 'low', seed: 1 });
    expect(answer.choices[0]?.message.content).toMatch(/^The answer is/);
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  });

  test('gets several different answers of one tree, and is told where there are fewer', async () => {
    const { openai } = await client({ model: { branching: 4 } });
    const body = { ...ask, n: 2, coppice: { rollouts: 64 } };
    const { choices } = await openai.chat.completions.create(body);
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(2);
    const all = await openai.chat.completions.create({ ...body, n: 16 });
    expect(all.choices).toHaveLength(3);
    expect(all).toMatchObject({ coppice: { answers: { asked: 16, given: 3 } } });
  });

  test('streams several answers: the first as it becomes certain, the others at the end', async () => {
    const { openai } = await client({ model: { branching: 4 } });
    const body = { ...ask, n: 3, seed: 4, coppice: { rollouts: 64 } };
    const whole = await openai.chat.completions.create(body);
    const texts: string[] = [];
    const ends = new Map<number, string>();
    for await (const { choices } of await openai.chat.completions.create({ ...body, stream: true })) {
      for (const { index, delta, finish_reason } of choices) {
        texts[index] = (texts[index] ?? '') + (delta.content ?? '');
        if (finish_reason !== null) ends.set(index, finish_reason);
      }
    }
    expect(texts).toEqual(whole.choices.map(({ message }) => message.content));
    expect([...ends].sort()).toEqual([
      [0, 'stop'],
      [1, 'stop'],
      [2, 'stop'],
    ]);
  });

  test("ends its text at a string of its own, which is no part of it and not the engine's to know", async () => {
    const script: Script = ({ path, delimiters }) => {
      if (path.length === 0) return { text: 'step 1\n\n', end: 'delimiter' };
      expect(delimiters).not.toContain('END');
      return { text: 'The answer is 4. END of it', end: 'eos' };
    };
    const { openai } = await client({ scripted: { script } });
    const { choices } = await openai.chat.completions.create({ ...ask, stop: 'END' });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'The answer is 4. ' } });
  });

  test('goes on with a conversation', async () => {
    const { openai, engine } = await client();
    const first = await openai.chat.completions.create(ask);
    const messages = [...ask.messages, first.choices[0]!.message, { role: 'user' as const, content: 'and why?' }];
    const second = await openai.chat.completions.create({ model: 'm', messages });
    expect(second.choices[0]?.message.content).toMatch(/answer/);
    const last = engine.asked.at(-1)?.prompt;
    expect(last?.kind === 'chat' && last.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('streams, and its own helper puts the same answer together', async () => {
    const { openai } = await client();
    const whole = await openai.chat.completions.create({ ...ask, seed: 2 });
    const stream = await openai.chat.completions.create({
      ...ask,
      seed: 2,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(usage).toEqual(whole.usage);
    const helped = await openai.chat.completions.stream({ ...ask, seed: 2 }).finalChatCompletion();
    expect(helped.choices[0]?.message.content).toBe(text);
    expect(helped.choices[0]?.finish_reason).toBe('stop');
  });

  test('aborts a stream and a plain request, down to the engine', async () => {
    const { openai, engine } = await client({ scripted: { held: true } });
    const stream = await openai.chat.completions.create({ ...ask, stream: true });
    await until(() => engine.open > 0);
    stream.controller.abort();
    await until(() => engine.open === 0);
    const abort = new AbortController();
    const plain = openai.chat.completions.create(ask, { signal: abort.signal });
    await until(() => engine.open > 0);
    abort.abort();
    await expect(plain).rejects.toThrowError(APIUserAbortError);
    await until(() => engine.open === 0);
  });

  test('throws its own errors', async () => {
    const { openai } = await client({ config: { server: { foreignNames: 'refuse' } } });
    const bad = await openai.chat.completions.create({ ...ask, logprobs: true }).catch((error: unknown) => error);
    expect(bad).toBeInstanceOf(BadRequestError);
    expect(bad).toMatchObject({
      status: 400,
      param: 'logprobs',
      code: 'unsupported_parameter',
      requestID: expect.stringMatching(/^req_/),
    });
    await expect(openai.chat.completions.create({ ...ask, model: 'gone' })).rejects.toThrowError(NotFoundError);
    const { hash } = newKey();
    const locked = await client({ config: { keys: [{ name: 'k', hash }] } }, 'wrong');
    await expect(locked.openai.models.list()).rejects.toThrowError(AuthenticationError);
  });

  test('is told when to come back, and its own retry then succeeds', async () => {
    const options = { model: { budget: 1 }, scripted: { held: true }, config: { admission: { queue: 0 } } };
    const { openai, engine } = await client(options);
    const first = openai.chat.completions.create(ask);
    await until(() => engine.open > 0);
    const refused = await openai.chat.completions.create(ask).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(Number((refused as RateLimitError).headers?.get('retry-after'))).toBeGreaterThan(0);
    engine.release();
    await first;
    expect((await openai.chat.completions.create(ask)).choices).toHaveLength(1);
  });

  test('an error in the middle of a stream is thrown by the client', async () => {
    const { openai } = await client({ scripted: { script: () => 'fault' } });
    const stream = await openai.chat.completions.create({ ...ask, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrowError(OpenAI.APIError);
  });
});
