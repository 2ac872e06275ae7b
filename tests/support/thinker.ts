// A gateway before a test server whose model thinks, for tests of thinking.

import { onTestFinished } from 'vitest';
import { openModels } from '../../packages/core/src/answering/models/open-models.ts';
import { checkConfig } from '../../packages/core/src/config/load.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { Gateway } from '../../packages/gateway/src/gateway.ts';
import { silentLog } from '../../packages/gateway/src/observe/log.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import type { ThinkingModel } from '../servers/model.ts';
import { PlainServer } from '../servers/plain-server.ts';
import type { TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import type { Loose } from './loose.ts';
import { post } from './running-gateway.ts';

const contextTokens = 65_536;

export const thinkingServers: Readonly<Record<string, (thinking: ThinkingModel) => TestServer>> = {
  vllm: (thinking) => new VllmServer({ thinking, contextTokens }),
  sglang: (thinking) => new SglangServer({ thinking, contextTokens }),
  'llama-server': (thinking) => new LlamaTestServer({ thinking, contextTokens }),
  'a chat route with reasoning': (thinking) => new PlainServer({ thinking: { ...thinking, field: 'reasoning' } }),
  'a chat route with reasoning_content': (thinking) =>
    new PlainServer({ thinking: { ...thinking, field: 'reasoning_content' } }),
};

/** A gateway and its server, until the end of the test. */
export async function serveThinker(
  name: string,
  thinking: ThinkingModel,
  model: object = {},
): Promise<{ readonly url: string; readonly server: TestServer }> {
  const server = await thinkingServers[name]!(thinking).listen();
  onTestFinished(() => server.close());
  return { url: await serveModel({ engine: { kind: 'openai', urls: [server.url] }, ...model }), server };
}

/** A gateway for any model, until the end of the test. */
export async function serveModel(model: object): Promise<string> {
  const config = checkConfig({
    server: { port: 0, shutdownMs: 0 },
    models: [{ name: 'thinker', ...model }],
  });
  const models = await openModels(config.models, {});
  const gateway = new Gateway({ config, models, journal: new SqliteJournal({ path: ':memory:' }), log: silentLog });
  const url = await gateway.listen();
  onTestFinished(() => gateway.close());
  return url;
}

export const coppice = { rollouts: 1, program: 'self-consistency' };
export const thinkerAsk = {
  model: 'thinker',
  messages: [{ role: 'user', content: 'what is it?' }],
  seed: 5,
  coppice,
};

export async function askThinker(url: string, more: object = {}): Promise<Loose> {
  return (await (await post(`${url}/v1/chat/completions`, { ...thinkerAsk, ...more })).json()) as Loose;
}

export async function eventsOf(url: string, path: string, body: object): Promise<Loose[]> {
  const text = await (await post(`${url}${path}`, { ...body, stream: true })).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Loose);
}

/** Number of the test model's words in its thinking. */
export function wordsIn(thought: string): number {
  return thought.split(' hm').length - 1;
}
