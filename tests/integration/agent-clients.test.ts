// Unchanged clients of agents run a conversation of ten turns with tools each, every turn of it a vote.

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Loose } from '../support/loose.ts';
import { allDone, serveTurns, tenTurns } from '../support/served-turns.ts';

const parameters = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const prompt = 'Take ten steps.';
const ten = Array.from({ length: 10 }, (_, at) => at + 1);

async function served() {
  const { server, url } = await serveTurns(tenTurns, { tools: 'vote' });
  const turns = () => {
    const asked = server.bodies('/v1/chat/completions');
    const lengths = new Set(asked.map(({ messages }) => (messages as unknown[]).length));
    return { turns: lengths.size, draws: asked.reduce((sum, { n = 1 }) => sum + Number(n), 0) };
  };
  return { url, turns };
}

type Served = Awaited<ReturnType<typeof served>>;

/** Each turn is more than one draw, and each request one turn. */
function expectVotes({ turns }: Served): void {
  const told = turns();
  expect(told.turns).toBe(11);
  expect(told.draws).toBeGreaterThanOrEqual(22);
}

test('openai: chat, with its own runner of tools', async () => {
  const running = await served();
  const client = new OpenAI({ baseURL: `${running.url}/v1`, apiKey: 'unused', maxRetries: 0 });
  for (const stream of [false, true] as const) {
    const steps: number[] = [];
    const step = { name: 'step', description: 'Takes one.', parameters, parse: JSON.parse };
    const take = ({ n }: Loose) => `step ${steps.push(n)}`;
    const tools = [{ type: 'function' as const, function: { ...step, function: take } }];
    const body = { model: 'm', messages: [{ role: 'user' as const, content: prompt }], tools };
    const options = { maxChatCompletions: 12 };
    const runner = stream
      ? client.chat.completions.runTools({ ...body, stream: true }, options)
      : client.chat.completions.runTools(body, options);
    expect(await runner.finalContent()).toBe(allDone);
    expect(steps).toEqual(ten);
  }
  expectVotes(running);
});

test.each(['input', 'previous_response_id'])('openai: responses, the history in %s', async (field) => {
  const running = await served();
  const client = new OpenAI({ baseURL: `${running.url}/v1`, apiKey: 'unused', maxRetries: 0 });
  const tools = [{ type: 'function' as const, name: 'step', parameters, strict: true }];
  const steps: number[] = [];
  let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: prompt }];
  let previous: string | undefined;
  for (;;) {
    const body = { model: 'm', input, tools, ...(previous && { previous_response_id: previous }) };
    // Every other turn as a stream.
    const response =
      steps.length % 2 === 0
        ? await client.responses.create(body)
        : await client.responses.stream(body).finalResponse();
    expect((response as Loose).coppice.program).toBe('auto');
    const calls = (response.output as Loose[]).filter((item) => item.type === 'function_call');
    if (calls.length === 0) {
      expect(response.output_text).toBe(allDone);
      break;
    }
    const results = calls.map(({ call_id, arguments: given }) => {
      const output = `step ${steps.push(JSON.parse(given).n)}`;
      return { type: 'function_call_output' as const, call_id: String(call_id), output };
    });
    if (field === 'input') input = [...input, ...(response.output as OpenAI.Responses.ResponseInput), ...results];
    else [input, previous] = [results, response.id];
  }
  expect(steps).toEqual(ten);
  expectVotes(running);
});

test.each(['whole', 'streamed'])('anthropic: messages, %s', async (how) => {
  const running = await served();
  const client = new Anthropic({ baseURL: running.url, apiKey: 'unused', maxRetries: 0 });
  const steps: number[] = [];
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
  const tools = [{ name: 'step', input_schema: parameters as Anthropic.Tool.InputSchema }];
  for (;;) {
    const body = { model: 'm', max_tokens: 500, messages, tools };
    const { content, stop_reason } =
      how === 'whole' ? await client.messages.create(body) : await client.messages.stream(body).finalMessage();
    messages.push({ role: 'assistant', content });
    const uses = content.filter((block) => block.type === 'tool_use');
    if (stop_reason !== 'tool_use') {
      expect(content).toMatchObject([{ type: 'text', text: allDone }]);
      break;
    }
    const results = uses.map(({ id, input }) => {
      const said = `step ${steps.push((input as Loose).n)}`;
      return { type: 'tool_result' as const, tool_use_id: id, content: said };
    });
    messages.push({ role: 'user', content: results });
  }
  expect(steps).toEqual(ten);
  expectVotes(running);
});

test.each(['chat', 'responses'])('the AI SDK over %s, whole and streamed', async (api) => {
  const running = await served();
  const baseURL = `${running.url}/v1`;
  const model =
    api === 'chat'
      ? createOpenAICompatible({ name: 'coppice', baseURL, includeUsage: true })('m')
      : createOpenAI({ baseURL, apiKey: 'unused' })('m');
  for (const isStream of [false, true]) {
    const steps: number[] = [];
    const step = tool({ inputSchema: z.object({ n: z.int() }), execute: ({ n }) => `step ${steps.push(n)}` });
    const asked = { model, prompt, tools: { step }, stopWhen: stepCountIs(12) };
    const text = isStream ? await streamText(asked).text : (await generateText(asked)).text;
    expect([text, steps]).toEqual([allDone, ten]);
  }
  expectVotes(running);
});
