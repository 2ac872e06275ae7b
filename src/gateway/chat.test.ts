import { describe, expect, test } from 'vitest';
import type { Loose } from '../../tests/support/loose.ts';
import { post, question, runGateway, serverEvents } from '../../tests/support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../../tests/support/scripted-engine.ts';
import type { Prompt } from '../tree/step.ts';

async function ask(url: string, body: object): Promise<Loose> {
  const response = await post(`${url}/v1/chat/completions`, { ...question, ...body });
  return { status: response.status, headers: response.headers, ...((await response.json()) as object) };
}

describe('a chat completion', () => {
  test('is an answer by search, with exit, score, usage and the id of its search', async () => {
    const { url } = await runGateway();
    const answer = await ask(url, { seed: 1 });
    expect(answer).toMatchObject({
      status: 200,
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: expect.stringMatching(/^The answer is \d\.$/) },
        },
      ],
      coppice: { scoring: 'verifier', program: 'mcts', complete: true, exit: { kind: 'accepted', rule: 'positive' } },
    });
    expect(answer.choices[0].message.reasoning_content).toBe('step 1 way 0\n\nstep 2 way 0\n\n');
    const { usage, coppice } = answer;
    const { committed, discarded, speculative } = coppice.tokens;
    expect(usage.prompt_tokens).toBe(7);
    expect(usage.prompt_tokens_details.cached_tokens).toBe(0);
    expect(usage.completion_tokens).toBe(committed + discarded + speculative);
    expect(usage.completion_tokens_details.reasoning_tokens).toBe(usage.completion_tokens - coppice.tokens.answer);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
    expect(coppice.tokens.saved_estimate).toBeGreaterThan(0);
    const search = await fetch(`${url}/v1/searches/${coppice.search}`);
    expect(await search.json()).toMatchObject({
      state: 'done',
      result: { content: answer.choices[0].message.content, coppice },
    });
  });

  test('the same seed gives the same answer, another may give another', async () => {
    const { url } = await runGateway();
    const texts = await Promise.all(
      [5, 5, 6, 7, 8, 9].map(async (seed) => (await ask(url, { seed })).choices[0].message.content),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(new Set(texts).size).toBeGreaterThan(1);
  });

  test('several turns reach the engine as they are, developer as system', async () => {
    const { url, engine } = await runGateway();
    const messages = [
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: 'c' },
      { role: 'user', content: 'd' },
    ];
    expect((await ask(url, { messages })).status).toBe(200);
    expect(engine.asked[0]?.prompt).toEqual({
      kind: 'chat',
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'ab' },
        { role: 'assistant', content: 'c' },
        { role: 'user', content: 'd' },
      ],
    });
  });

  test('sampling fields are honoured', async () => {
    const { url, engine } = await runGateway();
    await ask(url, { temperature: 0.3, top_p: 0.5, top_k: 7, min_p: 0.1 });
    expect(
      engine.asked.every(
        ({ sampling }) =>
          JSON.stringify(sampling) === JSON.stringify({ temperature: 0.3, topP: 0.5, topK: 7, minP: 0.1 }),
      ),
    ).toBe(true);
  });

  test('without a verifier it is self-consistency, and says so', async () => {
    const { url } = await runGateway({ verifier: 'none', model: { verifier: { kind: 'none' } } });
    expect(await ask(url, {})).toMatchObject({
      status: 200,
      coppice: { scoring: 'self-consistency', program: 'self-consistency' },
    });
    expect(await ask(url, { coppice: { program: 'mcts' } })).toMatchObject({
      status: 400,
      error: { param: 'coppice.program', code: 'unsupported_parameter' },
    });
  });

  test('reasoning inline gives the whole path as content', async () => {
    const { url } = await runGateway();
    const answer = await ask(url, { coppice: { reasoning: 'inline' } });
    expect(answer.choices[0].message.content).toMatch(/^step 1 way 0\n\nstep 2 way 0\n\nThe answer is \d\.$/);
    expect(answer.choices[0].message).not.toHaveProperty('reasoning_content');
  });

  test('effort none is one generation without search, cut by a stop string', async () => {
    const script = () => ({ text: 'plain words END', end: 'delimiter' }) as const;
    const { url, engine } = await runGateway({ scripted: { script } });
    const answer = await ask(url, { reasoning_effort: 'none', stop: 'END', max_tokens: 50 });
    expect(answer).toMatchObject({
      choices: [{ message: { content: 'plain words ' }, finish_reason: 'stop' }],
      coppice: { passed_through: true },
    });
    expect(engine.asked).toHaveLength(1);
    expect(engine.asked[0]).toMatchObject({ delimiters: ['END'], maxTokens: 50 });
  });

  test('a token limit cuts at the end of a step, and finish_reason is length', async () => {
    const { url } = await runGateway();
    const answer = await ask(url, { max_completion_tokens: 8 });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'step 2 way 0\n\n' } });
    expect(answer.coppice).toMatchObject({ complete: false, tokens: { path: 8 } });
  });

  test("a model's own form of the question is used, and a question of another kind refused", async () => {
    const form = (prompt: Prompt) => {
      const text = prompt.kind === 'chat' ? (prompt.messages.at(-1)?.content ?? '') : '';
      if (!text.startsWith('make')) return { reason: 'this model makes numbers from numbers' };
      return {
        prompt: { kind: 'text', text },
        delimiters: ['\n'],
        stepTokens: 9,
        maxDepth: 3,
        temperature: 0.25,
      } as const;
    };
    const { url, engine } = await runGateway({ form });
    expect((await ask(url, {})).status).toBe(200);
    expect(engine.asked[0]).toMatchObject({
      prompt: { kind: 'text' },
      delimiters: ['\n'],
      maxTokens: 9,
      sampling: { temperature: 0.25 },
    });
    const refused = await ask(url, { messages: [{ role: 'user', content: 'hello' }] });
    expect(refused).toMatchObject({
      status: 400,
      error: { param: 'messages', message: expect.stringContaining('numbers') },
    });
  });

  test("the operator's advice on steps joins the system message of searches only", async () => {
    const { url, engine } = await runGateway({ model: { stepPrompt: 'In steps.' } });
    const system = { role: 'system', content: 'Be kind.' };
    await ask(url, { messages: [system, ...question.messages] });
    expect(engine.asked[0]?.prompt).toMatchObject({
      messages: [{ content: 'Be kind.\n\nIn steps.' }, { role: 'user' }],
    });
    const asked = engine.asked.length;
    await ask(url, { reasoning_effort: 'none' });
    expect(engine.asked[asked]?.prompt).toMatchObject({ messages: question.messages });
  });

  test('a prompt that does not fit is the fault of the request', async () => {
    const { url } = await runGateway({ scripted: { script: () => 'too-long' } });
    expect(await ask(url, {})).toMatchObject({
      status: 400,
      error: { code: 'context_length_exceeded', param: 'messages' },
    });
  });

  test('an engine that only fails is 502, and the search tells why', async () => {
    const { url } = await runGateway({ scripted: { script: () => 'fault' } });
    expect(await ask(url, {})).toMatchObject({ status: 502, error: { type: 'server_error', code: 'engine_failed' } });
  });

  test('a deadline gives the best so far', async () => {
    const { url, engine } = await runGateway({ scripted: { held: true } });
    const answer = await ask(url, { coppice: { deadline_ms: 30 } });
    expect(answer).toMatchObject({
      status: 200,
      choices: [{ finish_reason: 'length', message: { content: '' } }],
      coppice: { exit: { kind: 'deadline' }, complete: false },
    });
    expect(engine.open).toBe(0);
  });
});

describe('a futile search', () => {
  const hopeless = () => ({ verifier: new ScriptedVerifier(() => 0.1), model: { policy: 'positive+strict' } });

  test('answers with the best so far unless told otherwise', async () => {
    const { url } = await runGateway(hopeless());
    expect(await ask(url, {})).toMatchObject({ status: 200, coppice: { exit: { kind: 'futile' } } });
  });

  test('refuses when asked to', async () => {
    const { url } = await runGateway(hopeless());
    const answer = await ask(url, { coppice: { on_futile: 'refuse' } });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: null, refusal: expect.stringContaining('unlikely') },
    });
  });

  test('escalates to the model that the configuration names', async () => {
    const bigger = { model: { name: 'big' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() };
    const small = hopeless();
    const { url } = await runGateway({ ...small, model: { ...small.model, escalateTo: 'big' }, more: [bigger] });
    const answer = await ask(url, { coppice: { on_futile: 'escalate' } });
    expect(answer).toMatchObject({ model: 'big', coppice: { escalated_from: 'm', exit: { kind: 'accepted' } } });
    const list = (await (await fetch(`${url}/v1/searches`)).json()) as Loose;
    expect(list.data.map(({ model, state }: Loose) => [model, state])).toEqual([
      ['big', 'done'],
      ['m', 'done'],
    ]);
  });

  test('cannot escalate to nowhere', async () => {
    const { url } = await runGateway();
    expect(await ask(url, { coppice: { on_futile: 'escalate' } })).toMatchObject({
      status: 400,
      error: { param: 'coppice.on_futile' },
    });
  });
});

describe('what cannot be honoured is refused by name', () => {
  const cases: [string, object, string][] = [
    ['n', { n: 2 }, 'unsupported_parameter'],
    ['logprobs', { logprobs: true }, 'unsupported_parameter'],
    ['response_format', { response_format: { type: 'json_object' } }, 'unsupported_parameter'],
    ['tools', { tools: [{ type: 'function' }] }, 'unsupported_parameter'],
    ['stop', { stop: ['x'] }, 'unsupported_parameter'],
    ['frequency_penalty', { frequency_penalty: 0.5 }, 'unsupported_parameter'],
    [
      'messages.0.content.0',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      'unsupported_parameter',
    ],
    ['messages.0.role', { messages: [{ role: 'tool', content: 'x' }] }, 'unsupported_parameter'],
    ['nonsense', { nonsense: 1 }, 'unknown_parameter'],
    ['coppice.nonsense', { coppice: { nonsense: 1 } }, 'unknown_parameter'],
    ['temperature', { temperature: 3 }, 'invalid_value'],
    ['messages', { messages: [] }, 'invalid_value'],
    ['coppice.rollouts', { coppice: { rollouts: 100_000 } }, 'invalid_value'],
    ['coppice.rollouts', { reasoning_effort: 'none', coppice: { rollouts: 2 } }, 'unsupported_parameter'],
    ['temperature', { temperature: 0.5, coppice: { program: 'greedy' } }, 'unsupported_parameter'],
    ['model', { model: 'other' }, 'model_not_found'],
  ];

  test.each(cases)('%s', async (param, body, code) => {
    const { url } = await runGateway();
    const answer = await ask(url, body);
    expect(answer).toMatchObject({ status: code === 'model_not_found' ? 404 : 400, error: { param, code } });
  });

  test('fields that ask for nothing are taken', async () => {
    const { url } = await runGateway();
    const nothing = {
      n: 1,
      tools: [],
      tool_choice: 'auto',
      frequency_penalty: 0,
      presence_penalty: 0,
      logit_bias: {},
      store: false,
    };
    const more = {
      response_format: { type: 'text' },
      top_logprobs: null,
      user: 'u',
      metadata: { a: 'b' },
      modalities: ['text'],
    };
    expect((await ask(url, { ...nothing, ...more })).status).toBe(200);
  });
});

describe('a stream', () => {
  async function read(url: string, body: object) {
    const response = await post(`${url}/v1/chat/completions`, { ...question, stream: true, ...body });
    const lines: string[] = [];
    const comments: string[] = [];
    for await (const { data, comment } of serverEvents(response)) {
      if (data !== undefined) lines.push(data);
      if (comment !== undefined) comments.push(comment);
    }
    const chunks: Loose[] = lines.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line));
    const joined = (name: string) => chunks.map((chunk) => chunk.choices?.[0]?.delta?.[name] ?? '').join('');
    return {
      status: response.status,
      lines,
      chunks,
      comments,
      content: joined('content'),
      reasoning: joined('reasoning_content'),
      joined,
    };
  }

  test('says the same as the whole answer, in valid chunks, usage last', async () => {
    const { url } = await runGateway();
    const whole = await ask(url, { seed: 3 });
    const { chunks, lines, content, reasoning } = await read(url, { seed: 3, stream_options: { include_usage: true } });
    expect(content).toBe(whole.choices[0].message.content);
    expect(reasoning).toBe(whole.choices[0].message.reasoning_content);
    expect(lines.at(-1)).toBe('[DONE]');
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
    expect(
      new Set(chunks.map(({ id, object, created, model }) => JSON.stringify([id, object, created, model]))).size,
    ).toBe(1);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(chunks.at(-2)).toMatchObject({
      choices: [{ delta: {}, finish_reason: 'stop' }],
      usage: null,
      coppice: { exit: { kind: 'accepted' } },
    });
  });

  test('text that all branches share goes out before the search ends', async () => {
    // The first step is the same on every branch; the second differs, and waits for a release that needs the first chunk.
    const engine = new ScriptedEngine({
      script: ({ path, index }) =>
        path.length === 0
          ? { text: 'All agree. ', end: 'delimiter' }
          : path.length === 1
            ? { text: `Perhaps ${index}. `, end: 'delimiter' }
            : { text: 'The answer is 4.', end: 'eos' },
    });
    const script = engine.generate.bind(engine);
    engine.generate = (requests) => {
      if (requests.some(({ path }) => path.length === 2)) engine.hold();
      script(requests);
    };
    const { url } = await runGateway({ engine });
    const response = await post(`${url}/v1/chat/completions`, { ...question, stream: true });
    let early = '';
    for await (const { data } of serverEvents(response)) {
      if (data === undefined || data === '[DONE]') continue;
      const { reasoning_content: text } = JSON.parse(data).choices[0].delta;
      if (text === undefined) continue;
      early += text;
      if (early.endsWith('Perhaps ')) break;
    }
    expect(early).toBe('All agree. Perhaps ');
  });

  test('effort none goes out word by word', async () => {
    const script = () => ({ text: 'one two three four', end: 'eos' }) as const;
    const { url } = await runGateway({ scripted: { script } });
    const { chunks, content } = await read(url, { reasoning_effort: 'none' });
    expect(content).toBe('one two three four');
    expect(chunks.length).toBeGreaterThan(4);
  });

  test('a silent search sends comments with its progress', async () => {
    const engine = new ScriptedEngine({ held: true });
    const { url } = await runGateway({ engine, config: { server: { heartbeatMs: 100 } } });
    const response = await post(`${url}/v1/chat/completions`, { ...question, stream: true });
    const seen: string[] = [];
    for await (const { comment } of serverEvents(response)) {
      if (comment === undefined) continue;
      seen.push(comment);
      engine.release();
    }
    expect(seen[0]).toMatch(/^coppice running nodes=1 rollouts=0 best=-$/);
  });

  test('a failure after the first byte is an error line', async () => {
    const { url } = await runGateway({ scripted: { script: () => 'fault' } });
    const { status, lines } = await read(url, {});
    expect(status).toBe(200);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ error: { code: 'engine_failed', type: 'server_error' } });
  });

  test('a refusal goes out as one', async () => {
    const { url } = await runGateway({
      verifier: new ScriptedVerifier(() => 0.1),
      model: { policy: 'positive+strict' },
    });
    const { joined, content, reasoning } = await read(url, { coppice: { on_futile: 'refuse' } });
    expect(joined('refusal')).toMatch(/unlikely/);
    expect([content, reasoning]).toEqual(['', '']);
  });

  test('closing the connection cancels the work in the engine', async () => {
    const { url, engine, gateway } = await runGateway({ scripted: { held: true } });
    const abort = new AbortController();
    const response = await post(`${url}/v1/chat/completions`, { ...question, stream: true }, {}, abort.signal);
    await response.body?.getReader().read();
    await until(() => engine.open > 0);
    abort.abort();
    await until(() => engine.open === 0 && gateway.searches.liveCount === 0);
    expect(engine.cancelled.length).toBeGreaterThan(0);
  });

  test('so does closing it while a whole answer is waited for', async () => {
    const { url, engine } = await runGateway({ scripted: { held: true } });
    const abort = new AbortController();
    const waiting = post(`${url}/v1/chat/completions`, question, {}, abort.signal).catch(() => 'aborted');
    await until(() => engine.open > 0);
    abort.abort();
    expect(await waiting).toBe('aborted');
    await until(() => engine.open === 0);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
