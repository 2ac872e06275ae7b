// The whole way: an OpenAI client's request through the gateway, by search, to a server that speaks vLLM's protocol, with
// a reward model behind /pooling.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../packages/core/src/answering/models/open-models.ts';
import { checkConfig } from '../../packages/core/src/config/load.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { Gateway } from '../../packages/gateway/src/gateway.ts';
import { silentLog } from '../../packages/gateway/src/observe/log.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { Vocabulary } from '../servers/model.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { post } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

async function serve(model: object, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const config = checkConfig({
    server: { port: 0, shutdownMs: 0 },
    models: [{ name: 'remote', ...model }],
  });
  const models = await openModels(config.models, environment);
  const gateway = new Gateway({ config, models, journal: new SqliteJournal({ path: ':memory:' }), log: silentLog });
  const url = await gateway.listen();
  onTestFinished(() => gateway.close());
  return url;
}

async function vllm(settings: ConstructorParameters<typeof VllmServer>[0] = {}): Promise<VllmServer> {
  const server = await new VllmServer(settings).listen();
  onTestFinished(() => server.close());
  return server;
}

const ask = { model: 'remote', messages: [{ role: 'user', content: 'what is it?' }], seed: 5 };

const sum = { ...ask, messages: [{ role: 'user', content: 'What is 2 + 3?' }] };

test('a server that has gone is told as such', async () => {
  const server = await vllm();
  const url = await serve({ engine: { kind: 'openai', urls: [server.url] } });
  await server.close();
  const response = await post(`${url}/v1/chat/completions`, { ...ask, coppice: { deadline_ms: 200 } });
  const { error } = (await response.json()) as Loose;
  expect([response.status, error.message]).toEqual([502, expect.stringContaining('(unavailable)')]);
});

test('a search over a remote server with a remote reward model', async () => {
  const [generator, scorer] = [await vllm({ apiKey: 'up' }), await vllm()];
  const engine = { kind: 'openai', urls: [`${generator.url}/v1`], apiKeyEnv: 'UP' };
  const verifier = { kind: 'prm', urls: [scorer.url], format: 'qwen-prm' };
  const url = await serve({ engine, verifier, threshold: 0.01 }, { UP: 'up' });
  const answer = (await (await post(`${url}/v1/chat/completions`, ask)).json()) as Loose;
  expect(answer.choices?.[0].message.content).toMatch(/^The answer is \d\.$/);
  expect(answer.choices[0].message.reasoning_content).toMatch(/^Step 1: .*\n\nStep 2: .*\n\nStep 3: .*\n\n$/s);
  expect(answer.usage.prompt_tokens).toBeGreaterThan(0);
  expect(answer.coppice).toMatchObject({ scoring: 'verifier', tokens: { verifier: expect.any(Number) } });
});

test('without a reward model the answers vote; closing the connection stops the remote work', async () => {
  const generator = await vllm();
  const url = await serve({ engine: { kind: 'openai', urls: [generator.url] } });
  const answer = (await (
    await post(`${url}/v1/chat/completions`, { ...sum, reasoning_effort: 'minimal' })
  ).json()) as Loose;
  expect(answer.coppice).toMatchObject({ program: 'auto', scoring: 'self-consistency' });
  expect(answer.coppice.rollouts).toBeLessThanOrEqual(2);
  generator.pace = () => new Promise((resolve) => setTimeout(resolve, 50));
  const abort = new AbortController();
  const waiting = post(`${url}/v1/chat/completions`, ask, {}, abort.signal).catch(() => 'aborted');
  await until(() => generator.generating > 0);
  abort.abort();
  expect(await waiting).toBe('aborted');
  await until(() => generator.abandoned > 0 && generator.openStreams === 0);
});

test('a sample is one plain request and at most one score, and its steps are told as if each had been asked for', async () => {
  for (const server of [new VllmServer(), new SglangServer()]) {
    await server.listen();
    onTestFinished(() => server.close());
    const scorer = await vllm();
    const verifier = { kind: 'prm', urls: [scorer.url], format: 'qwen-prm' };
    const url = await serve({
      engine: { kind: 'openai', urls: [server.url] },
      verifier,
      program: 'best-of-n',
      aggregation: 'last',
    });
    const [generated, scored] = [server.seen.length, scorer.seen.length];
    const wish = { coppice: { rollouts: 4, threshold: 1 } };
    const answer = (await (await post(`${url}/v1/chat/completions`, { ...ask, ...wish })).json()) as Loose;
    const bodies = server.seen.slice(generated).flatMap(({ body }) => (body?.stream === undefined ? [] : [body]));
    expect(bodies).toHaveLength(4);
    for (const body of bodies) {
      expect(body.stream).toBe(false);
      expect(body).not.toHaveProperty('stop');
    }
    const calls = scorer.seen.slice(scored).filter(({ path }) => path === '/pooling').length;
    expect([1, 2, 3, 4]).toContain(calls);
    expect(answer.coppice.tokens.verifier).toBeGreaterThan(0);
    expect(answer.choices[0].message.reasoning_content).toMatch(/^Step 1: .*\n\nStep 2: .*\n\nStep 3: .*\n\n$/s);
  }
});

test('token ids of a group come from every server that tells them: prompt, steps, and as many log probabilities', async () => {
  for (const server of [new VllmServer(), new SglangServer(), new LlamaTestServer()]) {
    await server.listen();
    onTestFinished(() => server.close());
    const url = await serve({ engine: { kind: 'openai', urls: [`${server.url}/v1`] }, verifier: { kind: 'none' } });
    const group = { n: 4, return_token_ids: true, coppice: { program: 'tree-samples' } };
    const answer = (await (await post(`${url}/v1/chat/completions`, { ...ask, ...group })).json()) as Loose;
    expect(answer.prompt_token_ids.length).toBeGreaterThan(2);
    expect(answer.choices).toHaveLength(4);
    for (const { token_ids, token_mask, token_logprobs } of answer.choices) {
      expect(token_ids.length).toBeGreaterThan(4);
      expect(token_mask).toEqual(token_ids.map(() => 1));
      expect(token_logprobs.every((each: number) => each <= 0)).toBe(true);
      expect(token_logprobs).toHaveLength(token_ids.length);
    }
  }
});

test('log probabilities come from the server, token by token, in every dialect that tells them', async () => {
  const servers = [new VllmServer(), new SglangServer(), new LlamaTestServer()];
  for (const server of servers) {
    await server.listen();
    onTestFinished(() => server.close());
    const url = await serve({ engine: { kind: 'openai', urls: [`${server.url}/v1`] }, verifier: { kind: 'none' } });
    const answer = (await (await post(`${url}/v1/chat/completions`, { ...ask, logprobs: true })).json()) as Loose;
    const [{ message, logprobs }] = answer.choices;
    expect(logprobs.content.map(({ token }: Loose) => token).join('')).toBe(message.content);
    expect(logprobs.content.length).toBeGreaterThan(1);
    expect(logprobs.content.every(({ logprob }: Loose) => logprob <= 0)).toBe(true);
  }
});

test('replicas that a file lists come and go under searches and requests that are passed on', async () => {
  const vocabulary = new Vocabulary();
  const [first, second] = [await vllm({ vocabulary }), await vllm({ vocabulary })];
  const folder = await mkdtemp(join(tmpdir(), 'coppice-replicas-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'replicas.txt');
  const list = async (...servers: readonly VllmServer[]) => {
    await writeFile(`${path}.new`, servers.map((each) => each.url).join('\n'));
    await rename(`${path}.new`, path);
  };
  await list(first);
  const url = await serve({ engine: { kind: 'openai', replicas: `file:${path}?everyMs=100` } });
  const answered = async () => (await post(`${url}/v1/chat/completions`, ask)).status;
  const page = async () => (await fetch(`${url}/metrics`)).text();
  const states = async () => (await page()).match(/^coppice_replica.*$/gm);
  const strands = async () => Number(/^coppice_budget_strands\{.*\} (\d+)$/m.exec(await page())?.[1]);
  expect([await answered(), await strands()]).toEqual([200, 128]);
  // Nobody has set a budget: it follows. The new one is out until it was found to be like the old one.
  await list(first, second);
  await until(async () => (await strands()) === 256);
  expect(second.bodies('/tokenize').length).toBeGreaterThan(0);
  await list(second);
  await until(async () => (await strands()) === 128);
  expect(await states()).toContain('coppice_replicas{model="remote",state="out"} 0');
  const before = first.seen.length;
  expect([await answered(), await answered()]).toEqual([200, 200]);
  await writeFile(path, '');
  await until(async () => (await states())?.includes('coppice_replica_list_healthy{model="remote"} 0') === true);
  expect(await answered()).toBe(200);
  expect(first.seen.length).toBe(before);
  expect(await states()).toContain('coppice_replicas{model="remote",state="up"} 1');
  expect(await strands()).toBe(128);
});
