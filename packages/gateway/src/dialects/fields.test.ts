// Bodies of other servers' clients, unchanged: each field goes to the engine, is honoured or refused, or is ignored by name.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { ask, post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { ScriptedEngine, type ScriptedOptions } from '../../../../tests/support/scripted-engine.ts';

const penalties = { presence_penalty: 0.5, repetition_penalty: 1.1, logit_bias: { 7: -1 } };

function engineThat(can: object, options: ScriptedOptions = {}): ScriptedEngine {
  const engine = new ScriptedEngine(options);
  Object.assign(engine.capabilities, can);
  return engine;
}

async function ignored(url: string, path: string, body: object) {
  const response = await post(`${url}/v1/${path}`, body);
  return [response.status, response.headers.get('x-coppice-ignored')];
}

const apis: [string, object][] = [
  ['chat/completions', question],
  ['responses', { model: 'm', input: 'x' }],
  ['messages', { model: 'm', max_tokens: 100, messages: question.messages }],
];

describe.each(apis)('%s', (path, body) => {
  test('sampling fields go to an engine that takes them, and shape its draws', async () => {
    const engine = engineThat({ takes: ['repetition_penalty', 'presence_penalty'] });
    const { url } = await runGateway({ engine });
    const seeded = path === 'messages' ? body : { ...body, seed: 3 };
    expect(await ignored(url, path, { ...seeded, ...penalties })).toEqual([200, 'logit_bias']);
    const extras = { presence_penalty: 0.5, repetition_penalty: 1.1 };
    expect(new Set(engine.asked.map(({ sampling }) => JSON.stringify(sampling.extras)))).toEqual(
      new Set([JSON.stringify(extras)]),
    );
    const [first] = engine.asked.splice(0);
    expect(await ignored(url, path, { ...seeded, presence_penalty: 0, repetition_penalty: 1 })).toEqual([200, null]);
    expect(engine.asked[0]!.sampling.extras).toBeUndefined();
    if (path !== 'messages') expect(engine.asked[0]!.seed).not.toBe(first!.seed);
  });

  test('unknown fields are ignored and named in the header and in the log; values that ask for nothing are not named', async () => {
    const { url, logged } = await runGateway();
    const hostile = { 'line\r\nbreak': 1, ['x'.repeat(500)]: [], ['__proto__']: 1, constructor: {}, toString: null };
    const given = { ...body, ...penalties, verbosity: 'low', cache_prompt: true, extra_body: { top_a: 'junk' } };
    const [status, names] = await ignored(url, path, { ...given, ...hostile, service_tier: 'auto' });
    expect([status, names]).toEqual([
      200,
      `verbosity, cache_prompt, line??break, ${'x'.repeat(64)}, __proto__, constructor, top_a, presence_penalty, repetition_penalty, logit_bias`,
    ]);
    expect(logged.map((line) => JSON.parse(line)).find(({ fields }) => fields !== undefined)?.fields).toBe(names);
  });

  test('fields that shape the reply are refused by name, wherever they stand', async () => {
    const { url } = await runGateway();
    const newer = ['stop_regex', 'n_probs', 'lora_path', 'logprob_token_ids', 'output_format'];
    for (const name of [
      'guided_regex',
      'guided_choice',
      'guided_grammar',
      'grammar',
      'audio',
      'top_logprobs',
      ...newer,
    ]) {
      for (const given of [{ [name]: 'a' }, { extra_body: { [name]: ['a'] } }]) {
        const response = await post(`${url}/v1/${path}`, { ...body, ...given });
        expect([response.status, ((await response.json()) as Loose).error.param]).toEqual([400, name]);
      }
    }
  });
});

const part = { text: 'make 24 from 4 7 8 8', prompt_cache_breakpoint: null, id: 'x' };

test.each<[string, object, string]>([
  ['chat/completions', { messages: [{ role: 'user', content: [{ type: 'text', ...part }] }] }, 'messages.content.id'],
  [
    'messages',
    { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'text', ...part }] }] },
    'messages.content.id',
  ],
  [
    'responses',
    { input: [{ role: 'user', foo: 1, content: [{ type: 'input_text', ...part }] }] },
    'input.foo, input.content.id',
  ],
  ['responses', { input: 'x', text: { format: { type: 'text' }, verbosity: 'low' } }, 'text.verbosity'],
])('fields of parts and formats: %s %j ignores %s and no other', async (path, body, names) => {
  const { url } = await runGateway();
  expect(await ignored(url, path, { model: 'm', ...body })).toEqual([200, names]);
});

test('seeds of 64 bits, and -1 for unset values, are taken', async () => {
  const { url, engine } = await runGateway();
  const seedOf = async (body: object) => {
    expect((await post(`${url}/v1/chat/completions`, { ...question, ...body })).status).toBe(200);
    return engine.asked.splice(0)[0]!.seed;
  };
  expect(await seedOf({ seed: 2 ** 40 + 7 })).toBe(await seedOf({ seed: 7 }));
  expect(await seedOf({ seed: -2 })).toBe(await seedOf({ seed: 2 ** 32 - 2 }));
  expect(await seedOf({ seed: -1, max_tokens: -1 })).not.toBe(await seedOf({ seed: -1 }));
});

test('a schema under the name of any server is one answer in JSON', async () => {
  const schema = { type: 'object', properties: { answer: { type: 'number' } } };
  const scripted: ScriptedOptions = {
    shapes: true,
    script: ({ shape }) => ({ text: shape === undefined ? 'It is 4.' : '{"answer": 4}', end: 'eos' }),
  };
  for (const given of [
    { guided_json: schema },
    { guided_json: JSON.stringify(schema) },
    { json_schema: schema },
    { structured_outputs: { json: schema, regex: null } },
    { extra_body: { structured_outputs: { json: schema } }, response_format: { type: 'text' } },
  ]) {
    const { url, engine } = await runGateway({ scripted });
    expect((await ask(url, given)).choices[0].message.content).toBe('{"answer": 4}');
    expect(engine.asked.find(({ shape }) => shape !== undefined)?.shape).toEqual(schema);
  }
  const { url } = await runGateway({ scripted });
  const twice = await ask(url, { guided_json: schema, response_format: { type: 'json_object' } });
  expect([twice.status, twice.error.param]).toEqual([400, 'guided_json']);
});

test("fields that the engine's own endpoint honours are passed to it, with extra_body unfolded", async () => {
  const heard: Loose[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      heard.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices": [{"message": {"content": "and so on"}}]}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const upstream = {
    urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`],
    model: 'real',
    headers: {},
  };
  const engine = engineThat({ passes: ['continue_final_message', 'add_generation_prompt'] });
  const { url } = await runGateway({ engine, upstream });
  // its_hub grows a path step by step like this.
  const last = { role: 'assistant', content: 'First,' };
  const extra = { add_generation_prompt: false, continue_final_message: true };
  const body = { messages: [...question.messages, last], stop: '\n\n', extra_body: extra };
  expect((await ask(url, { ...body, ...extra })).choices[0].message.content).toBe('and so on');
  expect(heard).toMatchObject([{ ...extra, model: 'real', stop: '\n\n' }]);
  expect(Object.keys(heard[0])).not.toContain('extra_body');
  expect((await ask(url, { include_stop_str_in_output: true })).error.param).toBe('include_stop_str_in_output');
});

test('a former turn is read as libraries write it: no calls, a refusal, thinking', async () => {
  const { url, engine } = await runGateway({
    upstream: { urls: ['http://127.0.0.1:1/v1'], model: 'real', headers: {} },
  });
  const content = [
    { type: 'thinking', thinking: 'Well.' },
    { type: 'text', text: 'Hm. ' },
    { type: 'refusal', refusal: 'No.' },
  ];
  const messages = [...question.messages, { role: 'assistant', content, tool_calls: [] }, ...question.messages];
  const response = await post(`${url}/v1/chat/completions`, { model: 'm', messages });
  expect([response.status, response.headers.get('x-coppice'), response.headers.get('x-coppice-ignored')]).toEqual([
    200,
    null,
    null,
  ]);
  const { prompt } = engine.asked[0]!;
  expect(prompt.kind === 'chat' && prompt.messages.at(-2)).toEqual({ role: 'assistant', content: 'Hm. No.' });
});

test.each<[string, object]>([
  ['lm-eval', { max_tokens: 256, temperature: 0, stop: ['Question:', '</s>'], seed: 1234 }],
  ['its_hub', { extra_body: {} }],
  [
    'guidellm',
    {
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
      max_completion_tokens: 20,
      stop: null,
      ignore_eos: true,
    },
  ],
  ['LangChain', { stream: false, n: 1, temperature: 0.7, presence_penalty: 0, store: true, verbosity: 'low' }],
  ['LiteLLM', { extra_body: { repetition_penalty: 1.05 }, tools: [], parallel_tool_calls: true }],
  ['vLLM clients', { priority: 3, top_k: -1, min_tokens: 1, skip_special_tokens: false, cache_salt: 's' }],
  ['llama.cpp clients', { cache_prompt: true, id_slot: 0, n_predict: -1, samplers: ['top_k'], mirostat: 0 }],
])('a body of %s is answered', async (_, body) => {
  const { url } = await runGateway();
  expect((await post(`${url}/v1/chat/completions`, { ...question, ...body })).status).toBe(200);
});
