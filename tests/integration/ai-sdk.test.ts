// Vercel's AI SDK, unchanged, through its OpenAI-compatible provider and its OpenAI one.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, Output, streamText } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type RunningOptions, runGateway } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

async function model(options: RunningOptions = {}) {
  const running = await runGateway(options);
  const provider = createOpenAICompatible({ name: 'coppice', baseURL: `${running.url}/v1`, includeUsage: true });
  return { ...running, model: provider('m') };
}

const prompt = 'make 24 from 4 7 8 8';

/** An engine's own chat endpoint that answers in the shape it is asked for. */
async function shaping(): Promise<string> {
  const message = { role: 'assistant', content: '{"answer": 24}' };
  const body = { id: 'x', object: 'chat.completion', created: 1, model: 'real' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...body, choices, usage: { prompt_tokens: 1, completion_tokens: 1 } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe('the ai package', () => {
  test('generates an object where the engine holds itself to a schema, and is told by name where it cannot', async () => {
    const upstream = { urls: [await shaping()], model: 'real', headers: {} };
    const output = Output.object({ schema: z.object({ answer: z.number() }) });
    const provider = (url: string) =>
      createOpenAICompatible({ name: 'coppice', baseURL: `${url}/v1`, supportsStructuredOutputs: true })('m');
    const { url } = await runGateway({ upstream });
    expect((await generateText({ model: provider(url), prompt, output })).output).toEqual({ answer: 24 });
    const bare = await runGateway();
    const refused = generateText({ model: provider(bare.url), prompt, output, maxRetries: 0 });
    await expect(refused).rejects.toThrow(
      /'response_format' cannot be honoured: the engine of model 'm' holds no step to a schema/,
    );
  });

  test('generates text, reasoning and usage', async () => {
    const { model: sapling } = await model();
    const { text, reasoningText, finishReason, usage } = await generateText({
      model: sapling,
      prompt,
      temperature: 0.5,
      seed: 3,
    });
    expect(text).toMatch(/^The answer is/);
    expect(reasoningText).toContain('step 1');
    expect(finishReason).toBe('stop');
    expect(usage.inputTokens).toBe(7);
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  test('streams text and reasoning in order', async () => {
    const { model: sapling } = await model();
    const { fullStream, usage } = streamText({ model: sapling, prompt, seed: 3 });
    let text = '';
    let reasoning = '';
    for await (const part of fullStream) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'reasoning-delta') reasoning += part.text;
      if (part.type === 'error') throw part.error;
    }
    expect(text).toMatch(/^The answer is/);
    expect(reasoning).toBe('step 1 way 0\n\nstep 2 way 0\n\n');
    expect((await usage).inputTokens).toBe(7);
  });

  test('aborts down to the engine', async () => {
    const { model: sapling, engine } = await model({ scripted: { held: true } });
    const abort = new AbortController();
    const { fullStream } = streamText({ model: sapling, prompt, abortSignal: abort.signal });
    const read = (async () => {
      for await (const part of fullStream) if (part.type === 'abort') return 'aborted';
      return 'ended';
    })().catch(() => 'aborted');
    await until(() => engine.open > 0);
    abort.abort();
    expect(await read).toBe('aborted');
    await until(() => engine.open === 0);
  });

  test('throws its own errors', async () => {
    const { model: sapling } = await model();
    const failure = await generateText({
      model: sapling,
      prompt,
      providerOptions: { coppice: { top_logprobs: 2 } },
      maxRetries: 0,
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(APICallError);
    expect(failure).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: expect.stringContaining('top_logprobs'),
    });
  });

  test('its OpenAI provider works through the chat endpoint', async () => {
    const { url } = await runGateway();
    const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'unused' });
    const { text } = await generateText({ model: openai.chat('m'), prompt });
    expect(text).toMatch(/^The answer is/);
  });
});
