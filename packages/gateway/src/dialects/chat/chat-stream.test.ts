import { describe, expect, test } from 'vitest';
import type { Loose } from '../../../../../tests/support/loose.ts';
import { ask, post, question, runGateway, serverEvents } from '../../../../../tests/support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../../tests/support/until.ts';

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
    expect(whole.usage.coppice).toMatchObject({ verdict: 'accepted' });
    expect([chunks.at(-2), whole].map((each) => each.system_fingerprint.split(' ')[1])).toEqual(
      Array(2).fill('accepted'),
    );
    expect(chunks.at(-2)).toMatchObject({
      choices: [{ delta: {}, finish_reason: 'stop' }],
      usage: null,
      coppice: { exit: { kind: 'accepted' } },
    });
  });

  /** Every event happens a second after the one before. */
  const slow = () => {
    let nowMs = 0;
    return { nowMs: () => (nowMs += 1000) };
  };
  const lines = /^\d+ (of 16 (samples|rollouts)|steps)\b.*\n/gm;

  test.each([
    [{ reasoning_effort: 'medium' }, /^8 of 16 samples: answer \d leads with \d+ votes\.$/m, 'none'],
    [
      { include_reasoning: true },
      /^\d+ of 16 rollouts, \d+ steps: answer \d has the best score, 0\.\d+\.$/m,
      undefined,
    ],
  ] as const)('a client that takes reasoning is shown what the search does: %j', async (opted, line, verifier) => {
    const { url } = await runGateway({ clock: slow(), ...(verifier && { verifier }) });
    const wish = { seed: 3, coppice: { deadline_ms: 600_000, threshold: 1 } };
    const { reasoning, content } = await read(url, { ...wish, ...opted });
    expect(reasoning).toMatch(line);
    expect(reasoning).not.toMatch(/^0 of |\b1 votes/m);
    const { reasoning: unasked, content: same } = await read(url, wish);
    expect(unasked).not.toMatch(lines);
    expect([content, reasoning.replace(lines, '')]).toEqual([same, unasked]);
    const { reasoning: refused } = await read(url, { ...wish, ...opted, include_reasoning: false });
    expect(refused).toBe(unasked);
  });

  test('a step that all branches share goes out before the search ends', async () => {
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
      if (early.endsWith('agree. ')) break;
    }
    expect(early).toBe('All agree. ');
  });

  test('greedy goes out step by step, as it comes', async () => {
    const engine = new ScriptedEngine({ held: true });
    const generate = engine.generate.bind(engine);
    engine.generate = (requests) => {
      generate(requests);
      // Draws below the first step wait for the test.
      if (requests.some(({ path }) => path.length === 0)) engine.release();
      engine.hold();
    };
    const { url } = await runGateway({ engine });
    const body = { ...question, stream: true, coppice: { program: 'greedy' } };
    let text = '';
    for await (const { data } of serverEvents(await post(`${url}/v1/chat/completions`, body))) {
      if (data === undefined || data === '[DONE]') continue;
      const delta = JSON.parse(data).choices[0].delta;
      text += delta.reasoning_content ?? delta.content ?? '';
      if (text === 'step 1 way 0\n\n') engine.release();
    }
    expect(text).toMatch(/^step 1 way 0\n\nstep 2 way 0\n\nThe answer is \d\.$/);
  });

  test('greedy that had to begin again after a fault says so, and takes nothing back', async () => {
    let failures = 0;
    const { url } = await runGateway({
      scripted: {
        script: ({ path, index }) => {
          if (path.length === 1 && failures < 1) {
            failures += 1;
            return 'fault';
          }
          if (path.length === 0) return { text: `way ${index}\n\n`, end: 'delimiter' };
          return { text: 'The answer is 4.', end: 'eos' };
        },
      },
    });
    const { lines, reasoning } = await read(url, { coppice: { program: 'greedy' } });
    expect(reasoning).toBe('way 0\n\n');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ error: { code: 'engine_failed' } });
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
    const { url } = await runGateway({ engine, limits: { heartbeatMs: 100 } });
    const response = await post(`${url}/v1/chat/completions`, { ...question, stream: true });
    const seen: string[] = [];
    for await (const { comment } of serverEvents(response)) {
      if (comment === undefined) continue;
      seen.push(comment);
      engine.release();
    }
    expect(seen[0]).toMatch(/^coppice running nodes=1 rollouts=0 best=-$/);
  });

  test('a silent search tells a client that takes reasoning whether it works or waits', async () => {
    const engine = new ScriptedEngine({ held: true });
    const { url } = await runGateway({ engine, limits: { heartbeatMs: 100 }, model: { budget: 1 } });
    const lines: string[] = [];
    const shown = async () => {
      const body = { ...question, stream: true, include_reasoning: true };
      for await (const { data = '' } of serverEvents(await post(`${url}/v1/chat/completions`, body))) {
        const line = data.startsWith('{') && JSON.parse(data).choices[0]?.delta.reasoning_content;
        if (line) lines.push(line);
        if (lines.includes('Waiting in the queue.\n')) engine.release();
      }
    };
    const first = shown();
    await until(() => lines.length > 0);
    expect(lines[0]).toBe('Still going: 0 steps, paths open: 1.\n');
    await Promise.all([first, shown()]);
    expect(lines).toContain('Waiting in the queue.\n');
  });

  test('a failure after the first byte is an error line', async () => {
    const { url } = await runGateway({ scripted: { script: () => 'fault' } });
    const { status, lines } = await read(url, {});
    expect(status).toBe(200);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ error: { code: 'engine_failed', type: 'server_error' } });
  });

  test('a refusal is streamed as a refusal', async () => {
    const { url } = await runGateway({
      verifier: new ScriptedVerifier(() => 0.1),
      model: { policy: 'positive+strict' },
    });
    const { joined, content, reasoning } = await read(url, { coppice: { on_unaccepted: 'refuse' } });
    expect(joined('refusal')).toMatch(/No answer is sure enough/);
    expect([content, reasoning]).toEqual(['', '']);
  });

  test('closing the connection cancels the work in the engine', async () => {
    const { url, engine, gateway } = await runGateway({ scripted: { held: true } });
    const abort = new AbortController();
    const response = await post(`${url}/v1/chat/completions`, { ...question, stream: true }, {}, abort.signal);
    await response.body?.getReader().read();
    await until(() => engine.open > 0);
    abort.abort();
    await until(() => engine.open === 0 && [...gateway.searches.live].length === 0);
    expect(engine.cancelled.length).toBeGreaterThan(0);
  });

  test('closing it cancels the work of a whole answer too', async () => {
    const { url, engine } = await runGateway({ scripted: { held: true } });
    const abort = new AbortController();
    const waiting = post(`${url}/v1/chat/completions`, question, {}, abort.signal).catch(() => 'aborted');
    await until(() => engine.open > 0);
    abort.abort();
    expect(await waiting).toBe('aborted');
    await until(() => engine.open === 0);
  });
});
