// Turns of an agent as searches: draws come whole from the engine's own chat endpoint, those that call the same vote, and the client gets one
// ordinary turn. The engine is a server that speaks vLLM's chat with tools.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import type { PlainTree } from '../../packages/core/src/config/load.ts';
import type { AskedTurn, DrawnTurn } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { post } from '../support/running-gateway.ts';
import { serveTurns } from '../support/served-turns.ts';
import { until } from '../support/until.ts';

const weather = {
  name: 'weather',
  description: 'of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', default: 1 } },
    required: ['city'],
  },
};
const tools = [{ type: 'function', function: weather }];
const messages = [{ role: 'user', content: 'What is the weather in Oslo?' }];
const asked = { model: 'm', messages, tools, seed: 3 };
const oslo = (more: object = {}): DrawnTurn => ({ calls: [{ name: 'weather', arguments: { city: 'Oslo', ...more } }] });

async function serve(turn: ((asked: AskedTurn) => DrawnTurn) | undefined, model: PlainTree = {}) {
  const { server, url } = await serveTurns(turn, model);
  const ask = async (body: object, path = '/v1/chat/completions') => {
    const response = await post(`${url}${path}`, { ...asked, ...body });
    return { status: response.status, headers: response.headers, ...((await response.json()) as Loose) } as Loose;
  };
  return { server, url, ask };
}

/** Of three draws one calls another city. */
const mostlyOslo = ({ seed }: AskedTurn): DrawnTurn =>
  seed % 3 === 0
    ? { calls: [{ name: 'weather', arguments: '{"city": "Bergen"}' }] }
    : oslo(seed % 2 ? { days: 1.0 } : {});

test('equal calls vote, however they are written, and the reply is one ordinary turn', async () => {
  const { server, ask } = await serve(mostlyOslo, { tools: 'vote' });
  const { choices, usage, coppice } = await ask({ reasoning_effort: 'high' });
  expect(choices).toHaveLength(1);
  const [{ message, finish_reason }] = choices;
  expect(finish_reason).toBe('tool_calls');
  expect(message).toMatchObject({ role: 'assistant', content: null });
  expect(message.tool_calls).toMatchObject([{ type: 'function', function: { name: 'weather' } }]);
  expect(JSON.parse(message.tool_calls[0].function.arguments).city).toBe('Oslo');
  expect(coppice).toMatchObject({ program: 'auto', answer: 'calls "weather"{"city":"Oslo","days":1}' });
  expect(coppice.confidence).toBeGreaterThan(0.5);
  expect(coppice.votes.map((each: Loose) => each.answer)).toContain('calls "weather"{"city":"Bergen","days":1}');
  const drawn = coppice.votes.reduce((sum: number, { votes }: Loose) => sum + votes, 0);
  expect(drawn).toBe(coppice.rollouts);
  const bodies = server.bodies('/v1/chat/completions');
  expect(bodies.reduce((sum, { n = 1 }) => sum + Number(n), 0)).toBe(drawn);
  expect(bodies[0]).toMatchObject({ messages, tools, stream: false, temperature: 0.8 });
  expect(usage.completion_tokens).toBeGreaterThan(drawn * 10);
});

test.each([
  [{}, false],
  [{ reasoning_effort: 'minimal' }, false],
  [{ reasoning_effort: 'none', tool_choice: 'required' }, false],
  [{ reasoning_effort: 'low' }, true],
  [{ reasoning: { effort: 'medium' } }, true],
  [{ tool_choice: 'required' }, true],
  [{ tool_choice: { type: 'function', function: { name: 'weather' } } }, true],
  [{ logprobs: true, reasoning_effort: 'low' }, false],
])('no agent becomes dearer unasked: %j is searched: %s', async (wish, isSearched) => {
  const { ask, server } = await serve(mostlyOslo);
  const { headers, choices, coppice } = await ask(wish);
  expect(choices[0].message.tool_calls[0].function.name).toBe('weather');
  expect([headers.get('x-coppice'), coppice?.program]).toEqual(
    isSearched ? [null, 'auto'] : ['passed-through', undefined],
  );
  if (!isSearched) expect(server.bodies('/v1/chat/completions')).toEqual([{ ...asked, ...wish, model: server.model }]);
});

test('the engine gets history, choice and schemas as they were written', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const history = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Which city is this?', extra: 1 }, image], name: 'ann' },
    { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'b' }] },
    { role: 'tool', tool_call_id: 'a', content: 'rain' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'rain' }] },
  ];
  const strict = [{ type: 'function', function: { ...weather, strict: true } }];
  const wish = { tools: strict, tool_choice: 'required', parallel_tool_calls: false, stop: ['x'], max_tokens: 99 };
  const { ask, server } = await serve(() => ({ calls: [...oslo().calls!, ...oslo().calls!], content: 'Let me look.' }));
  const { choices, status } = await ask({ ...wish, messages: history, temperature: 0.3 });
  expect([status, choices[0].message.content]).toEqual([200, 'Let me look.']);
  const ids = choices[0].message.tool_calls.map(({ id }: Loose) => id);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^call_[0-9a-f]{32}[0-9a-z]{4}$/);
  for (const body of server.bodies('/v1/chat/completions'))
    expect(body).toMatchObject({ ...wish, messages: history, temperature: 0.3 });
});

test('a stream gives one ordinary turn, once it is decided', async () => {
  const both = {
    content: 'Let me look.',
    calls: [...oslo().calls!, { name: 'weather', arguments: '{"city":"Rome"}' }],
  };
  const { url } = await serve(() => both, { tools: 'vote' });
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
  const stream = openai.chat.completions.stream({
    ...asked,
    messages: messages as never,
    tools: tools as never,
    stream_options: { include_usage: true },
  });
  const { choices, usage } = await stream.finalChatCompletion();
  const [{ message, finish_reason } = { message: undefined, finish_reason: undefined }] = choices;
  expect([message?.content, finish_reason]).toEqual(['Let me look.', 'tool_calls']);
  const cities = message?.tool_calls?.map((call) => JSON.parse((call as Loose).function.arguments).city);
  expect(cities).toEqual(['Oslo', 'Rome']);
  expect(usage?.completion_tokens).toBeGreaterThan(0);
});

test('words vote by the answer that they state', async () => {
  const { ask } = await serve(
    ({ seed }) => ({ content: `So it is ${seed % 4 === 0 ? 'nine' : '8'}. The answer is ${seed % 4 === 0 ? 9 : 8}.` }),
    {
      tools: 'vote',
    },
  );
  const { choices, coppice } = await ask({ messages: [{ role: 'user', content: 'How many days?' }] });
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'So it is 8. The answer is 8.' } });
  expect(choices[0].message).not.toHaveProperty('tool_calls');
  expect(coppice.answer).toBe('says 8');
});

/** A repair is asked for in the user's words. */
function isRepair({ messages: said }: AskedTurn): boolean {
  return said.length > messages.length;
}

test('a call that breaks its schema is no vote, and where all break it one repair is asked for', async () => {
  const broken = { calls: [{ name: 'weather', arguments: { city: 7 } }] };
  const one = await serve(({ seed }) => (seed % 2 ? broken : oslo()), { tools: 'vote' });
  const told = await one.ask({});
  expect(told.coppice.votes).toEqual([
    { answer: 'calls "weather"{"city":"Oslo","days":1}', votes: expect.any(Number) },
  ]);
  expect(one.server.seen.some(({ body }) => (body.messages as unknown[]).length > 1)).toBe(false);
  const all = await serve((drawn) => (isRepair(drawn) ? oslo() : broken), { tools: 'vote' });
  const { choices, coppice } = await all.ask({});
  expect(JSON.parse(choices[0].message.tool_calls[0].function.arguments)).toEqual({ city: 'Oslo' });
  expect(coppice.votes).toEqual([{ answer: expect.stringContaining('Oslo'), votes: 1 }]);
  const repairs = all.server.seen.filter(({ body }) => (body.messages as unknown[]).length > 1);
  expect(repairs).toHaveLength(1);
  expect((repairs[0]!.body.messages as Loose[]).at(-1)).toEqual({
    role: 'user',
    content: expect.stringMatching(/last turn was[\s\S]*"city\\*":7[\s\S]*schema/),
  });
});

test.each<[string, DrawnTurn, object]>([
  ['never calls, though it must', { content: 'It is sunny.' }, { tool_choice: 'required' }],
  ['calls what is not offered', { calls: [{ name: 'rockets', arguments: {} }] }, {}],
  ['says nothing', {}, {}],
  ['writes no JSON', { calls: [{ name: 'weather', arguments: '{"city": ' }] }, {}],
])('a model that %s gives its turn with the verdict none', async (_, turn, wish) => {
  const { ask, server } = await serve(() => turn, { tools: 'vote' });
  const { status, choices, coppice } = await ask(wish);
  expect([status, coppice.verdict, coppice.votes]).toEqual([200, 'none', []]);
  expect(choices[0].message.content).toBe(turn.content ?? (turn.calls ? null : ''));
  expect(server.seen.filter(({ body }) => (body.messages as unknown[]).length > 1)).toHaveLength(1);
  const refused = await ask({ ...wish, coppice: { on_unaccepted: 'error' } });
  expect(refused).toMatchObject({ status: 422, error: { code: 'not_accepted' } });
});

test('tools without end: 500 functions, a schema that leads to itself, arguments of a megabyte', async () => {
  const loop = { type: 'object', properties: { next: { $ref: '#' }, text: { type: 'string' } } };
  const many = Array.from({ length: 500 }, (_, at) => ({
    type: 'function',
    function: { name: `f${at}`, description: 'x'.repeat(500), parameters: loop },
  }));
  const nested = `${'{"next":'.repeat(90)}{}${'}'.repeat(90)}`;
  const deep = await serve(() => ({ calls: [{ name: 'f499', arguments: nested }] }), { tools: 'vote' });
  const told = await deep.ask({ tools: many });
  expect([told.status, told.choices[0].message.tool_calls[0].function.arguments]).toEqual([200, nested]);
  expect(told.coppice.verdict).not.toBe('none');
  const long = { calls: [{ name: 'weather', arguments: { city: 'x'.repeat(1_000_000) } }] };
  const { ask, url } = await serve(() => long, { tools: 'vote' });
  const cut = await ask({});
  expect([cut.status, cut.coppice.verdict, cut.choices[0].finish_reason]).toEqual([200, 'none', 'length']);
  const view = await (await fetch(`${url}/v1/searches/${cut.coppice.search}/events`)).text();
  expect(view.length).toBeLessThan(40_000_000);
});

test('an engine without a parser of calls: forced ones keep to a schema, others are its own to answer', async () => {
  const { ask, server } = await serve(undefined, { tools: 'vote' });
  const forced = await ask({ tool_choice: 'required' });
  expect(forced.choices[0].message.tool_calls).toHaveLength(1);
  expect(server.bodies('/v1/completions').some(({ response_format }) => response_format !== undefined)).toBe(true);
  const passed = await ask({ reasoning_effort: 'high' });
  expect([passed.status, passed.error.message]).toEqual([400, expect.stringContaining('--tool-call-parser')]);
  const kept = await serve(undefined, { tools: 'forbid' });
  const { status, error } = await kept.ask({});
  expect([status, error.param]).toEqual([400, 'tools']);
});

test('what a turn cannot do is refused by name', async () => {
  const { ask } = await serve(mostlyOslo, { tools: 'vote' });
  const program = await ask({ coppice: { program: 'mcts' } });
  expect(program.error).toMatchObject({ code: 'unsupported_parameter', param: 'coppice.program' });
  const tree = await ask({ coppice: { program: 'self-consistency', rollouts: 3 } });
  expect(tree.coppice).toMatchObject({ program: 'self-consistency', rollouts: 3 });
});

test('a process of the operator gets conversation and call, and its score decides', async () => {
  const line = [
    "const { messages, tools, turn } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))",
    "const isRight = messages.length === 1 && tools.length === 1 && JSON.parse(turn.calls[0].arguments).city === 'Bergen'",
    'console.log(JSON.stringify({ reward: isRight ? 1 : 0 }))',
  ].join(';');
  const command = [process.execPath, '-e', line];
  const verifier = { kind: 'command', command, sandbox: 'limits', timeoutMs: 30_000, memoryMiB: 4096 };
  const rare = ({ seed }: AskedTurn) =>
    seed % 4 === 0 ? { calls: [{ name: 'weather', arguments: { city: 'Bergen' } }] } : oslo();
  const { ask } = await serve(rare, { tools: 'vote', verifier });
  const { choices, coppice } = await ask({});
  expect(JSON.parse(choices[0].message.tool_calls[0].function.arguments)).toEqual({ city: 'Bergen' });
  expect(coppice).toMatchObject({ verdict: 'accepted', program: 'best-of-n', scoring: 'verifier', score: 1 });
});

test('several answers are several turns', async () => {
  const { ask } = await serve(mostlyOslo, { tools: 'vote' });
  const { choices } = await ask({ n: 2 });
  const cities = choices.map(({ message }: Loose) => JSON.parse(message.tool_calls[0].function.arguments).city);
  expect(cities).toEqual(['Oslo', 'Bergen']);
  expect(new Set(choices.map(({ message }: Loose) => message.tool_calls[0].id)).size).toBe(2);
});

test('what the engine refuses is no failure of the server, and names the tools', async () => {
  const { ask } = await serve(mostlyOslo, { tools: 'vote' });
  const { status, error } = await ask({ messages: [...messages, { role: 'tool', content: 'no call' }] });
  expect([status, error.param, error.message]).toEqual([400, 'tools', expect.stringMatching(/engine refuses/)]);
});

test('a client that leaves takes its turn along', async () => {
  const { server, url } = await serve(mostlyOslo, { tools: 'vote' });
  const reached = Promise.withResolvers<void>();
  server.pace = () => {
    reached.resolve();
    return new Promise(() => {});
  };
  const abort = new AbortController();
  const waiting = post(`${url}/v1/chat/completions`, asked, {}, abort.signal).catch(() => 'gone');
  await reached.promise;
  abort.abort();
  expect(await waiting).toBe('gone');
  const state = async () => ((await (await fetch(`${url}/v1/searches`)).json()) as Loose).data[0]?.state;
  await until(async () => (await state()) === 'cancelled');
});

test('a scorer of the operator gets conversation and call, and its scores weigh', async () => {
  const seen: Loose[] = [];
  const scorer = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { items } = JSON.parse(text) as Loose;
    seen.push(...items);
    const rewards = items.map(({ turn }: Loose) =>
      JSON.parse(turn.calls[0].arguments).city === 'Bergen' ? 0.99 : 0.02,
    );
    response.end(JSON.stringify({ rewards }));
  });
  await new Promise<void>((resolve) => scorer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void scorer.close());
  const { port } = scorer.address() as AddressInfo;
  const verifier = { kind: 'prm', format: 'http', urls: [`http://127.0.0.1:${port}/score`] };
  const even = ({ seed }: AskedTurn) =>
    seed % 5 > 2 ? { calls: [{ name: 'weather', arguments: { city: 'Bergen' } }] } : oslo();
  const { ask } = await serve(even, { tools: 'vote', verifier, trust: 1 });
  const { choices, coppice } = await ask({});
  expect(JSON.parse(choices[0].message.tool_calls[0].function.arguments)).toEqual({ city: 'Bergen' });
  expect(coppice).toMatchObject({ program: 'auto', scoring: 'verifier', score: 0.99 });
  const [most, least] = coppice.votes.map(({ votes }: Loose) => votes);
  expect(most).toBeGreaterThan(least);
  expect(coppice.votes[0].answer).toContain('Oslo');
  expect(seen[0]).toMatchObject({ question: messages[0]!.content, messages, tools, turn: { content: null } });
});
