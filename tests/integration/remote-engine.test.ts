// What the remote engine does with one server: what it cancels, what it sends of a path, and answers that are bad; over real sockets.

import { describe, expect, it } from 'vitest';
import { pathOf } from '../../packages/core/src/testing/case/paths.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { PlainServer } from '../servers/plain-server.ts';
import type { Mischief, TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { benchOfEach, failing, holdAt } from './remote-bench.ts';

const open = benchOfEach();

describe('cancellation', () => {
  const kinds: readonly (readonly [string, () => TestServer])[] = [
    ['vllm', () => new VllmServer()],
    ['sglang', () => new SglangServer()],
    ['llama-server', () => new LlamaTestServer()],
    ['openai', () => new PlainServer()],
  ];

  it.each(kinds)('reaches a %s before its next token, and counts what had come', async (_, make) => {
    const server = make();
    const { engine, inbox, request, until, answer } = await open([server]);
    const letGo = holdAt(server, 2);
    const one = request();
    engine.generate([one]);
    await until(() => inbox.filter((each) => each.type === 'token').length >= 2);
    engine.cancel([one.id]);
    expect(answer(one.id)).toMatchObject({
      type: 'fault',
      fault: { code: 'cancelled' },
      usage: { generatedTokens: 2 },
    });
    const heard = inbox.length;
    await until(() => server.openStreams === 0);
    if (server instanceof SglangServer) await until(() => server.aborted.length === 1);
    letGo();
    await until(() => server.abandoned === 1);
    expect(server.tokensWritten).toBe(2);
    expect(inbox.length).toBe(heard);
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });

  it('of one sibling in a shared request leaves the others, of all closes it', async () => {
    const server = new LlamaTestServer();
    const { engine, request, until, answer, inbox } = await open([server]);
    const letGo = holdAt(server, 1);
    const siblings = [request({ seed: 7 }), request({ seed: 8 }), request({ seed: 9 })];
    engine.generate(siblings);
    await until(() => inbox.filter((each) => each.type === 'token').length >= 3);
    expect(server.bodies('/completion')).toMatchObject([{ n_cmpl: 3 }]);
    engine.cancel([siblings[0]!.id]);
    expect(server.openStreams).toBe(1);
    engine.cancel([siblings[1]!.id, siblings[2]!.id]);
    await until(() => server.openStreams === 0);
    letGo();
    expect(siblings.map(({ id }) => answer(id)?.type)).toEqual(['fault', 'fault', 'fault']);
  });
});

describe('prefixes', () => {
  const withoutTokens = ({ text, tokens, meanLogprob, end }: Step): Step => ({ text, tokens, meanLogprob, end });

  it('renders the root once per search and continues by tokens', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server]);
    const first = Array.from({ length: 4 }, () => request());
    engine.generate(first);
    await finish(first);
    const reply = answer(first[0]!.id);
    if (reply?.type !== 'step') throw new Error('no step');
    const next = request({ path: pathOf(reply.step) });
    engine.generate([next]);
    await finish([next]);
    // Beside those by which the engine looked at template and tokenizer when it was opened.
    const atOpening = 5;
    expect(server.bodies('/tokenize').length).toBe(atOpening + 1);
    const prompts = server.bodies('/v1/completions').map((body) => body.prompt as number[]);
    expect(prompts.at(-1)).toEqual([...prompts.at(-2)!, ...reply.step.tokenIds!]);
  });

  it('keeps the tokens of a path up to the first step that has none, and tokenises the rest as text', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server]);
    const first = request();
    engine.generate([first]);
    await finish([first]);
    const reply = answer(first.id);
    if (reply?.type !== 'step') throw new Error('no step');
    const path = pathOf(reply.step, withoutTokens(reply.step));
    const next = request({ path });
    engine.generate([next]);
    await finish([next]);
    expect(server.bodies('/tokenize').at(-1)).toMatchObject({
      prompt: reply.step.text,
      add_special_tokens: false,
    });
    const [before, after] = server
      .bodies('/v1/completions')
      .slice(-2)
      .map((body) => body.prompt as number[]);
    expect(after!.slice(0, before!.length + reply.step.tokenIds!.length)).toEqual([
      ...before!,
      ...reply.step.tokenIds!,
    ]);
    expect(answer(next.id)?.type).toBe('step');
  });

  it('reports the reuse that the server counted', async () => {
    const server = new SglangServer();
    const { engine, request, finish, answer } = await open([server]);
    const twice = [request({ seed: 1 }), request({ seed: 1 })];
    for (const each of twice) {
      engine.generate([each]);
      await finish([each]);
    }
    expect(answer(twice[1]!.id)).toMatchObject({ usage: { computedTokens: 1 } });
  });
});

describe('bad answers', () => {
  const mischiefs: readonly Mischief[] = [
    { type: 'status', status: 500 },
    { type: 'cut', afterTokens: 2 },
    { type: 'error-inside', afterTokens: 2 },
    { type: 'garbage' },
  ];

  it.each(mischiefs)('are tried again: $type', async (mischief) => {
    const server = new VllmServer();
    const { engine, request, finish, answer, inbox } = await open([server]);
    server.mischief = failing(1, mischief);
    const one = request();
    engine.generate([one]);
    await finish([one], 50);
    const reply = answer(one.id);
    if (reply?.type !== 'step') throw new Error(JSON.stringify(reply));
    const streamed = inbox.map((each) => (each.type === 'token' ? each.text : '')).join('');
    expect(reply.step.text.startsWith(streamed)).toBe(true);
  });

  it('are given up after four attempts, and say why', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer, events } = await open([server]);
    server.mischief = () => ({ type: 'garbage' });
    const one = request();
    engine.generate([one]);
    await finish([one], 500);
    expect(answer(one.id)).toMatchObject({ type: 'fault', fault: { code: 'protocol' } });
    expect(JSON.stringify(answer(one.id))).toContain(`${server.url} (vllm)`);
    expect(JSON.stringify(answer(one.id))).toContain('tried 4 times');
    expect(events.map((each) => each.type)).toContain('replica-down');
  });

  it('are no matter when only [DONE] is missing', async () => {
    for (const server of [new VllmServer(), new SglangServer(), new PlainServer()]) {
      server.mischief = () => ({ type: 'no-done' });
      const { engine, request, finish, answer } = await open([server]);
      const one = request();
      engine.generate([one]);
      await finish([one]);
      expect(answer(one.id)?.type).toBe('step');
    }
  });

  it('that are blank are drawn again with another seed, then refused', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server]);
    server.mischief = failing(1, { type: 'blank' });
    const lucky = request();
    engine.generate([lucky]);
    await finish([lucky], 100);
    expect(answer(lucky.id)?.type).toBe('step');
    const [first, second] = server.bodies('/v1/completions').slice(-2);
    expect(first?.seed).not.toBe(second?.seed);
    server.mischief = () => ({ type: 'blank' });
    const blank = request();
    engine.generate([blank]);
    await finish([blank], 100);
    expect(answer(blank.id)).toMatchObject({ fault: { code: 'bad-step' } });
  });
});
