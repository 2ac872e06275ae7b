// Answers in a given shape with the real clients: searched where the engine can hold the last step to a schema, passed through
// where it cannot, refused by name where there is neither.

import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, Output } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Loose } from '../support/loose.ts';
import { ask, post, type RunningOptions, runGateway } from '../support/running-gateway.ts';
import { type Script, ScriptedVerifier, threeSteps } from '../support/scripted-engine.ts';

const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const response_format = { type: 'json_schema', json_schema: { name: 'sum', schema, strict: true } };

/** Two steps and an answer in words, then the same in the shape. */
const shaped: Script = (request) =>
  request.shape === undefined ? threeSteps(request) : { text: `{ "sum": ${request.seed % 3} }`, end: 'eos' };

const able: RunningOptions = { scripted: { shapes: true, script: shaped } };

test('a path is searched in words, and its last step is held to the schema', async () => {
  const { url, engine } = await runGateway(able);
  const answer = await ask(url, { response_format, seed: 1, coppice: { threshold: 0.6 } });
  const { message, finish_reason } = answer.choices[0];
  expect(JSON.parse(message.content)).toEqual({ sum: expect.any(Number) });
  expect(finish_reason).toBe('stop');
  expect(message.reasoning_content).toMatch(/^step 1 way 0\n\nstep 2 way 0\n\nThe answer is \d\.$/);
  expect(answer.coppice).toMatchObject({ complete: true, verdict: 'accepted', program: 'mcts' });
  expect(JSON.parse(answer.coppice.answer)).toEqual(JSON.parse(message.content));
  const last = engine.asked.filter((request) => request.shape !== undefined);
  expect(last.length).toBeGreaterThan(0);
  for (const { shape, delimiters, path, maxTokens } of last) {
    expect(shape).toEqual(schema);
    expect(delimiters).toEqual([]);
    expect(path.at(-1)?.step.text).toContain(JSON.stringify(schema));
    expect(path.at(-2)?.step).toMatchObject({ text: expect.stringMatching(/^The answer is/), end: 'length' });
    expect(maxTokens).toBeGreaterThan(1000);
  }
});

test.each(['mcts', 'beam', 'dvts', 'rebase', 'ets', 'best-of-n', 'self-consistency', 'greedy'])(
  '%s finds it',
  async (program) => {
    const { url } = await runGateway(able);
    const answer = await ask(url, { response_format, coppice: { program, rollouts: 4 } });
    expect(JSON.parse(answer.choices[0].message.content)).toEqual({ sum: expect.any(Number) });
    expect(answer.coppice).toMatchObject({ complete: true, program });
  },
);

test('the last step that a path may have is the answer, even where the model would go on', async () => {
  const endless: Script = (request) =>
    request.shape === undefined ? { text: 'on\n\n', end: 'delimiter' } : { text: '{"sum":1}', end: 'eos' };
  const { url } = await runGateway({ scripted: { shapes: true, script: endless }, model: { maxDepth: 3 } });
  const answer = await ask(url, { response_format });
  expect(answer.choices[0].message).toMatchObject({ content: '{"sum":1}', reasoning_content: 'on\n\non\n\n' });
});

test('equal answers are one answer, however they are written', async () => {
  const script: Script = ({ shape, index }) =>
    shape === undefined
      ? { text: `so ${index}`, end: 'eos' }
      : { text: index % 2 === 0 ? '{"a":1,"b":2}' : '{ "b": 2, "a": 1 }', end: 'eos' };
  const { url } = await runGateway({ scripted: { shapes: true, script }, verifier: new ScriptedVerifier(() => 0.5) });
  const wish = { program: 'self-consistency', rollouts: 4, policy: 'vanilla' };
  const { coppice } = await ask(url, { response_format: { type: 'json_object' }, coppice: wish });
  expect(coppice).toMatchObject({ answer: '{"a":1,"b":2}', support: 1 });
});

test.each(['sum is 3', '3', '[]', '{"total": 3}'])('an engine that says %s fails, and never answers', async (text) => {
  const loose: Script = (request) => ({ text: request.shape === undefined ? 'so' : text, end: 'eos' });
  const { url } = await runGateway({ scripted: { shapes: true, script: loose } });
  const answer = await ask(url, { response_format });
  expect(answer).toMatchObject({ status: 502, error: { code: 'engine_failed' } });
});

test('real clients: openai, the AI SDK, anthropic', async () => {
  const { url } = await runGateway(able);
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
  const Sum = z.object({ sum: z.number() });
  const messages = [{ role: 'user' as const, content: 'add 1 and 2' }];
  const parsed = await openai.chat.completions.parse({
    model: 'm',
    messages,
    response_format: zodResponseFormat(Sum, 'sum'),
  });
  expect(Sum.safeParse(parsed.choices[0]?.message.parsed).success).toBe(true);
  const response = await openai.responses.create({
    model: 'm',
    input: 'add 1 and 2',
    text: { format: { type: 'json_schema', name: 'sum', schema } },
  });
  expect(JSON.parse(response.output_text)).toEqual({ sum: expect.any(Number) });
  expect(response.text?.format).toMatchObject({ type: 'json_schema', name: 'sum' });
  const sdk = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'unused' });
  const { output } = await generateText({
    model: sdk('m'),
    prompt: 'add 1 and 2',
    output: Output.object({ schema: Sum }),
  });
  expect(output).toEqual({ sum: expect.any(Number) });
  const anthropic = new Anthropic({ baseURL: url, apiKey: 'unused', maxRetries: 0 });
  const message = await anthropic.messages.create({
    model: 'm',
    max_tokens: 1000,
    messages,
    output_config: { format: { type: 'json_schema', schema } },
  } as Anthropic.MessageCreateParamsNonStreaming);
  expect(JSON.parse((message.content[0] as Loose).text)).toEqual({ sum: expect.any(Number) });
});

test('streams give the words as reasoning and the shape as content', async () => {
  const { url } = await runGateway(able);
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
  const stream = openai.chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content: 'add' }],
    response_format: response_format as OpenAI.ResponseFormatJSONSchema,
  });
  const { choices } = await stream.finalChatCompletion();
  expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ sum: expect.any(Number) });
});

test('what no search can do is refused by name, in the words of its API', async () => {
  const { url } = await runGateway(able);
  const refused = async (path: string, body: object) => {
    const answer = (await (await post(`${url}${path}`, body)).json()) as Loose;
    return `${answer.error?.param}: ${answer.error?.message}`;
  };
  const chat = (more: object) => refused('/v1/chat/completions', { ...asked, response_format, ...more });
  const asked = { model: 'm', messages: [{ role: 'user', content: 'add' }] };
  expect(await chat({ coppice: { program: 'chain' } })).toMatch(/^response_format: .*'chain' has no last step/);
  expect(await chat({ coppice: { reasoning: 'inline' } })).toMatch(/^coppice.reasoning: .*stands alone/);
  expect(await chat({ stop: 'x' })).toMatch(/^response_format: .*'stop' would cut it/);
  expect(await chat({ response_format: { type: 'xml' } })).toMatch(
    /^response_format.type: .*is .*; it must be text, json_object/,
  );
  expect(await chat({ response_format: { type: 'json_schema' } })).toMatch(/^response_format: .*has no schema/);
  const wrong = { type: 'json_schema', schema: { type: 'nonsense' } };
  expect(await refused('/v1/responses', { model: 'm', input: 'x', text: { format: wrong } })).toMatch(
    /^text.format: 'text.format' cannot be honoured: there is no such type/,
  );
});

test('an engine that cannot is passed the request where it has an endpoint of its own, and the answer says so', async () => {
  const upstream = { urls: ['http://127.0.0.1:9/v1'], model: 'real', headers: {} };
  const [unable, can] = [await runGateway({ upstream }), await runGateway({ ...able, upstream })];
  // Nobody listens there: that it was tried is enough.
  expect(await ask(unable.url, { response_format })).toMatchObject({ status: 502 });
  expect(await ask(can.url, { response_format })).toMatchObject({ status: 200 });
  expect(await ask(can.url, { response_format, reasoning_effort: 'none' })).toMatchObject({ status: 502 });
});

describe('a call that is forced', () => {
  const parameters = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  const tools = ['add', 'multiply'].map((name) => ({ type: 'function' as const, function: { name, parameters } }));
  const calling: Script = (request) => {
    if (request.shape === undefined) return threeSteps(request);
    const { anyOf = [request.shape] } = request.shape as Loose;
    const { name } = anyOf.at(-1).properties;
    return { text: JSON.stringify({ name: name.const, arguments: { a: request.seed % 3 } }), end: 'eos' };
  };
  const messages = [{ role: 'user' as const, content: 'add 1 and 2' }];

  test.each([
    ['required', 'multiply'],
    [{ type: 'function' as const, function: { name: 'add' } }, 'add'],
  ] as const)('is searched for, whole and streamed: %o', async (tool_choice, name) => {
    const { url, engine } = await runGateway({ scripted: { shapes: true, script: calling } });
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
    const body = { model: 'm', messages, tools, tool_choice };
    const whole = await openai.chat.completions.create(body);
    const streamed = await openai.chat.completions.stream({ ...body, stream: true }).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      const [{ message, finish_reason } = { message: undefined, finish_reason: '' }] = choices;
      expect([message?.content || null, finish_reason]).toEqual([null, 'tool_calls']);
      const [call] = message?.tool_calls ?? [];
      if (call?.type !== 'function') throw new Error('no call');
      expect([call.function.name, JSON.parse(call.function.arguments)]).toEqual([name, { a: expect.any(Number) }]);
    }
    expect((whole.choices[0]!.message as Loose).reasoning_content).toMatch(/^step 1/);
    const words = engine.asked.find(({ shape }) => shape !== undefined)?.path.at(-1)?.step.text;
    expect(words).toMatch(/I call one of these functions/);
    const several = await openai.chat.completions.create({ ...body, n: 2 });
    expect(several.choices.map(({ message }) => message.tool_calls?.length)).toEqual([1, 1]);
  });

  test('that the engine cannot be held to is refused by name, and so is one beside a format', async () => {
    const bare = await runGateway();
    const forced = { tools, tool_choice: 'required' };
    expect(await ask(bare.url, forced)).toMatchObject({ status: 400, error: { param: 'tools' } });
    const { url } = await runGateway(able);
    expect(await ask(url, { ...forced, response_format })).toMatchObject({ status: 400, error: { param: 'tools' } });
    expect(await ask(url, { tools, tool_choice: 'auto' })).toMatchObject({ status: 400, error: { param: 'tools' } });
  });

  test('keeps references of its parameters', async () => {
    const { url, engine } = await runGateway({ scripted: { shapes: true, script: calling } });
    const $defs = { amount: { type: 'number' } };
    const own = { type: 'object', properties: { a: { $ref: '#/$defs/amount' } }, $defs };
    const [tool] = tools;
    const described = [{ ...tool, function: { name: 'add', parameters: own } }];
    await ask(url, { tools: described, tool_choice: 'required' });
    expect(engine.asked.find(({ shape }) => shape !== undefined)?.shape).toMatchObject({
      $defs,
      properties: { arguments: { properties: { a: { $ref: '#/$defs/amount' } } } },
    });
  });
});

test('without search it is the one step that there is', async () => {
  const { url, engine } = await runGateway(able);
  const answer = await ask(url, { response_format, reasoning_effort: 'none' });
  expect(JSON.parse(answer.choices[0].message.content)).toEqual({ sum: expect.any(Number) });
  expect(engine.asked.map(({ path, shape }) => [path.length, shape])).toEqual([[0, schema]]);
});
