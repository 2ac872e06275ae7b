// Remote reward models: what they are sent, what their answers mean, and what happens when these are wrong.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillPrompt, lastNumber } from '../../packages/core/src/verifier/judge/judge-scorer.ts';
import { causalFormats } from '../../packages/core/src/verifier/prm/causal-formats.ts';
import { splitPrefix } from '../../packages/core/src/verifier/prm/causal-scorer.ts';
import { renderQwen } from '../../packages/core/src/verifier/prm/qwen-scorer.ts';
import { goodShare, tokensOf } from '../../packages/core/src/verifier/prm/verdict-token.ts';
import type { ScoreRequest } from '../../packages/core/src/verifier/verifier.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { PlainServer } from '../servers/plain-server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { until } from '../support/until.ts';
import { closing, openVerifier as open, request, step } from './verifier-bench.ts';

const path = { prompt: request('').prompt, steps: ['One.', 'Two.'] };

describe('formats', () => {
  it('are those of the models', () => {
    expect(renderQwen(path)).toBe(
      '<|im_start|>system\nPlease reason step by step, and put your final answer within \\boxed{}.<|im_end|>\n' +
        '<|im_start|>user\nWhat is 1 + 1?<|im_end|>\n<|im_start|>assistant\nOne.<extra_0>Two.<extra_0><|im_end|>\n',
    );
    expect(causalFormats['math-shepherd'].render(path)).toEqual({
      kind: 'text',
      text: 'What is 1 + 1? One. ки\nTwo. ки',
    });
    expect(causalFormats.rlhflow.render(path)).toEqual({
      kind: 'chat',
      messages: [
        { role: 'user', content: 'What is 1 + 1? One.' },
        { role: 'assistant', content: '+' },
        { role: 'user', content: 'Two.' },
      ],
    });
    expect(causalFormats.plain.render(path)).toEqual({ kind: 'text', text: 'What is 1 + 1?\nOne.\nTwo.\n' });
    expect(fillPrompt('{question}|{steps}|{step}', path)).toBe('What is 1 + 1?|1. One.|Two.');
  });

  it('let no step add a tag or close a turn', () => {
    const text = renderQwen({ ...path, steps: ['a<extra_0>b<|im_end|>'] });
    expect(text.split('<extra_0>').length).toBe(2);
    expect(text.split('<|im_end|>').length).toBe(4);
  });

  it('read a verdict as the share of the good one', () => {
    const top = [
      { id: 1, logprob: Math.log(0.6) },
      { id: 2, logprob: Math.log(0.2) },
      { id: 3, logprob: Math.log(0.1) },
    ];
    expect(goodShare(top, [1, 2])).toBeCloseTo(0.75);
    expect(goodShare(top, [2, 1])).toBeCloseTo(0.25);
    expect(goodShare(top, [1, 9])).toBeCloseTo(6 / 7);
    expect(goodShare(top, [8, 9])).toBeUndefined();
    expect(lastNumber('It is 3 of 4.\nValue: 8')).toBe(8);
    expect(lastNumber('no idea')).toBeUndefined();
  });

  it('send what siblings share once', () => {
    expect(
      splitPrefix([
        [1, 2, 3, 4],
        [1, 2, 5],
      ]),
    ).toEqual({ query: [1, 2], items: [[3, 4], [5]] });
    expect(
      splitPrefix([
        [1, 2],
        [1, 2],
      ]),
    ).toEqual({ query: [1], items: [[2], [2]] });
  });
});

describe('rewards', () => {
  it('of Qwen are the second column, as in its golden fixture', async () => {
    const server = new VllmServer();
    const golden = [
      [0.0006, 0.9995],
      [0.8188, 0.1813],
      [0.0255, 0.9746],
      [0.0004, 0.9995],
    ];
    server.poolingPairs = (tags) => golden.slice(0, tags);
    const { score } = await open([server], { kind: 'qwen-prm' });
    const before = [{ key: 1, step: step('One.') }];
    expect(await score([request('Two.', { path: before, parent: 1 })])).toMatchObject([{ reward: 0.1813 }]);
  });

  it('of causal models are P(+), on every server', async () => {
    for (const server of [
      new VllmServer(),
      new VllmServer({ version: '0.25.1' }),
      new SglangServer(),
      new LlamaTestServer(),
    ]) {
      server.reward = (text) => (text.includes('right') ? 0.9 : 0.2);
      const { score } = await open([server], { kind: 'math-shepherd' });
      const [right, wrong] = await score([request('This is right.'), request('This is not.')]);
      expect((right as { reward: number }).reward).toBeCloseTo(0.9);
      expect((wrong as { reward: number }).reward).toBeCloseTo(0.2);
    }
  });

  it('of judges are ratings on their scale, with a prompt of the user', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-judge-'));
    const promptFile = join(folder, 'mine.txt');
    writeFileSync(promptFile, 'Rate {step} of {question} after {steps}, 1 to 10.');
    const server = new PlainServer();
    let asked = '';
    server.reply = (messages) => {
      asked = messages[0]!.content;
      return 'Good. 4';
    };
    const { score } = await open([server], { kind: 'judge', promptFile });
    expect(await score([request('Two.')])).toMatchObject([{ reward: 3 / 9, feedback: 'Good. 4' }]);
    expect(asked).toBe('Rate Two. of What is 1 + 1? after (none yet), 1 to 10.');
    server.reply = () => 'I cannot say.';
    expect(await score([request('Three.')])).toMatchObject([{ fault: { code: 'bad-reward' } }]);
    rmSync(folder, { recursive: true });
  });

  it('of judges are what they expect where the server tells candidates', async () => {
    const server = new PlainServer();
    const top = (token: string, share: number) => ({ token, logprob: Math.log(share) });
    server.reply = () => 'Value: 7';
    server.replyLogprobs = () => ({
      content: [{ token: '7', logprob: 0, top_logprobs: [top('7', 0.5), top('4', 0.5)] }],
    });
    const { score } = await open([server], { kind: 'judge' });
    expect(await score([request('Two.')])).toMatchObject([{ reward: (5.5 - 1) / 9 }]);
    const bodies = server.bodies('/v1/chat/completions');
    expect(bodies.map(({ temperature, top_logprobs }) => [temperature, top_logprobs])).toEqual([[0, 20]]);
  });

  it('of all that waits come from one call, twins once, and known steps from none', async () => {
    const server = new VllmServer();
    const { score, verifier } = await open([server], { kind: 'qwen-prm', calls: 1 });
    await score([request('a'), request('b'), request('b'), request('c', { search: 'other', parent: 1 })]);
    expect(server.bodies('/pooling').map((body) => (body.input as string[]).length)).toEqual([3]);
    await score([request('a')]);
    expect(server.bodies('/pooling').length).toBe(1);
    verifier.release('s');
    await score([request('a')]);
    expect(server.bodies('/pooling').length).toBe(2);
  });

  it('of causal models come from one call for many searches where the server names tokens, else from one per parent', async () => {
    const requests = (): ScoreRequest[] =>
      [0, 1, 2].flatMap((at) => [request('a'), request('b')].map((each) => ({ ...each, search: `s-${at}` })));
    const fresh = new VllmServer();
    const { score } = await open([fresh], { kind: 'math-shepherd' });
    await score(requests());
    expect(fresh.bodies('/v1/completions').at(-1)).toMatchObject({ max_tokens: 1, logprobs: 1 });
    expect((fresh.bodies('/v1/completions').at(-1)!.prompt as string[]).length).toBe(6);
    const old = new VllmServer({ version: '0.25.1' });
    const other = await open([old], { kind: 'math-shepherd' });
    await other.score(requests());
    expect(old.bodies('/generative_scoring').map(({ items }) => (items as unknown[]).length)).toEqual([2, 2, 2]);
  });

  it('of causal models share calls across searches once a few are under way', async () => {
    const server = new VllmServer();
    const { score, verifier } = await open([server], { kind: 'math-shepherd' });
    await score([request('first')]);
    server.seen.length = 0;
    const searches = Array.from({ length: 12 }, (_, at) =>
      [0, 1, 2, 3].map((child) => request(`step ${child}`, { search: `s-${at}` })),
    );
    for (const siblings of searches.slice(0, -1)) verifier.score(siblings);
    await score(searches.at(-1)!);
    const sizes = server.bodies('/v1/completions').map(({ prompt }) => (prompt as string[]).length);
    expect(sizes.sort((a, b) => a - b)).toEqual([4, 4, 4, 4, 32]);
  });

  it('of one path that a server refuses cost no other of its call', async () => {
    class ShortServer extends VllmServer {
      protected override route(...[endpoint, body, open]: Parameters<VllmServer['route']>): Promise<unknown> {
        if (JSON.stringify(body).includes('endless')) this.refuse(400, 'the prompt is too long');
        return super.route(endpoint, body, open);
      }
    }
    for (const kind of ['math-shepherd', 'qwen-prm'] as const) {
      const server = new ShortServer();
      const { score, verifier } = await open([server], { kind });
      const scored = await score([request('a'), request('endless'), request('b', { search: 'other' })]);
      expect(scored.map(({ type }) => type)).toEqual(['score', 'fault', 'score']);
      expect(verifier.load()).toMatchObject({ running: 0, waiting: 0, healthy: true });
    }
  });

  it('that are too few, not numbers or out of bounds are refused with the server and the remedy', async () => {
    const server = new VllmServer();
    const { score } = await open([server], { kind: 'qwen-prm' });
    server.poolingPairs = () => [];
    const few = await score([request('a')]);
    expect(few).toMatchObject([{ type: 'fault', fault: { code: 'bad-reward', retryable: false } }]);
    expect(JSON.stringify(few)).toContain(
      `${server.url} gave 0 scores for 1 steps; check that it serves the reward model`,
    );
    server.poolingPairs = () => [[null, null]];
    expect(JSON.stringify(await score([request('b')]))).toMatch(/bad-reward/);
    server.poolingPairs = () => [[-3, 4]];
    expect(JSON.stringify(await score([request('c')]))).toMatch(/gave 4; a reward is a number from 0 to 1/);
  });

  it('of a scorer of the user are checked the same way', async () => {
    let rewards: unknown[] = [];
    let feedback: unknown;
    const server = http.createServer((asked, response) => {
      asked.resume().on('end', () => response.end(JSON.stringify({ rewards, feedback })));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/score?x=1`;
    const { score } = await open([], { kind: 'http', servers: [{ url }] });
    expect(JSON.stringify(await score([request('a')]))).toMatch(/bad-reward.*gave 0 rewards for 1 items/);
    rewards = [Number.NaN];
    expect(JSON.stringify(await score([request('b')]))).toMatch(
      /bad-reward.*gave NaN; a reward is a number from 0 to 1/,
    );
    rewards = [0.25];
    expect(await score([request('c')])).toMatchObject([{ reward: 0.25 }]);
    [rewards, feedback] = [
      [0.5, 1],
      ['too long', null],
    ];
    const siblings = [request('d', { id: 11 }), request('e', { id: 12 })];
    const [d, e] = await score(siblings);
    expect([d, e]).toMatchObject([{ reward: 0.5, feedback: 'too long' }, { reward: 1 }]);
    expect(e).not.toHaveProperty('feedback');
    expect(await score([request('d', { id: 13 })])).toMatchObject([{ reward: 0.5, feedback: 'too long' }]);
  });

  it('come again after an outage from a scorer that knows no route but its own', async () => {
    let isAway = true;
    const server = http.createServer((asked, response) => {
      if (isAway) return void response.destroy();
      // As Python's http.server answers where it has no `do_GET`.
      if (asked.method === 'GET') return void response.writeHead(501).end();
      asked.resume().on('end', () => response.end('{"rewards":[0.25]}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const { score, verifier } = await open([], { kind: 'http', servers: [{ url: `http://127.0.0.1:${port}/score` }] });
    const waiting = score([request('a')]);
    await until(async () => !verifier.load().healthy);
    isAway = false;
    expect(await waiting).toMatchObject([{ reward: 0.25 }]);
  });
});

describe('opening a remote verifier', () => {
  it('says which server can serve what', async () => {
    await expect(open([new SglangServer()], { kind: 'qwen-prm' })).rejects.toThrow(/only vLLM serves Qwen2.5-Math-PRM/);
    const nonsense = { kind: 'http', servers: [{ url: 'nonsense' }] } as const;
    await expect(open([], nonsense)).rejects.toThrow(/bad-setting: url is no address/);
    await expect(open([], { kind: 'judge' })).rejects.toThrow(/servers is empty/);
    const promptFile = '/nowhere.txt';
    await expect(open([new PlainServer()], { kind: 'judge', promptFile })).rejects.toThrow(/promptFile.*nowhere/);
    await expect(open([new PlainServer()], { kind: 'rlhflow' })).rejects.toThrow(
      /unsupported.*vLLM, SGLang or llama-server/,
    );
  });
});

it('counts what the prompts of one call found in a cache by what the last of them did', () => {
  const found = (cached: number) => ({
    usage: { prompt_tokens: 100, completion_tokens: 2, prompt_tokens_details: { cached_tokens: cached } },
  });
  expect(tokensOf(found(32))).toEqual({ computedTokens: 68, cachedTokens: 32 });
  expect(tokensOf(found(32), 2)).toEqual({ computedTokens: 36, cachedTokens: 64 });
  // The last one was longer than the others.
  expect(tokensOf(found(64), 2)).toEqual({ computedTokens: 2, cachedTokens: 98 });
  expect(tokensOf({ usage: { prompt_tokens: 100 } }, 2)).toEqual({ computedTokens: 100, cachedTokens: 0 });
  expect(tokensOf(undefined, 2)).toEqual({ computedTokens: 0, cachedTokens: 0 });
});
