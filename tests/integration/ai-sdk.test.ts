// Vercel's AI SDK, unchanged, through its OpenAI-compatible provider and its OpenAI one.

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import { describe, expect, test } from 'vitest';
import { type RunningOptions, runGateway } from '../support/running-gateway.ts';

async function model(options: RunningOptions = {}) {
  const running = await runGateway(options);
  const provider = createOpenAICompatible({ name: 'coppice', baseURL: `${running.url}/v1`, includeUsage: true });
  return { ...running, model: provider('m') };
}

const prompt = 'make 24 from 4 7 8 8';

describe('the ai package', () => {
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
    while (engine.open === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(await read).toBe('aborted');
    while (engine.open > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('throws its own errors', async () => {
    const { model: sapling } = await model();
    const failure = await generateText({ model: sapling, prompt, presencePenalty: 1, maxRetries: 0 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(APICallError);
    expect(failure).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: expect.stringContaining('presence_penalty'),
    });
  });

  test('its OpenAI provider works through the chat endpoint', async () => {
    const { url } = await runGateway();
    const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'unused' });
    const { text } = await generateText({ model: openai.chat('m'), prompt });
    expect(text).toMatch(/^The answer is/);
  });
});
