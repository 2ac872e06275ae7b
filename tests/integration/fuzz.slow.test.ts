// 20,000 random and mutated bodies and headers: only 2xx and 4xx come back, errors have OpenAI's shape, nothing crashes.

import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Random } from '../../src/base/random.ts';
import { runGateway } from '../support/running-gateway.ts';

const requests = 20_000;
const atOnce = 32;
const seed = 'fuzz-1';

const valid: Record<string, unknown> = {
  model: 'm',
  messages: [{ role: 'user', content: 'make 24' }],
  temperature: 0.5,
  top_p: 0.9,
  seed: 1,
  stream: false,
  max_tokens: 64,
  reasoning_effort: 'minimal',
  stop: null,
  n: 1,
  tools: [],
  response_format: { type: 'text' },
  metadata: { a: 'b' },
  stream_options: { include_usage: true },
  coppice: {
    program: 'mcts',
    policy: 'positive',
    rollouts: 2,
    threshold: 0.5,
    token_budget: 100,
    deadline_ms: 5000,
    priority: 0,
    on_futile: 'answer',
    reasoning: 'inline',
  },
};

const odd: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  'x'.repeat(3000),
  '\u0000',
  '\ud800',
  '😀',
  '__proto__',
  'constructor',
  [],
  [[]],
  {},
  { __proto__: null },
  { type: 'image_url' },
  [{ role: 'user' }],
  [{ role: 'tool', content: 'x' }],
  'none',
  'mcts',
  '../../etc/passwd',
  '{{7*7}}',
  "' or 1=1 --",
];

const headerValues = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  '',
  'gzip',
  'identity',
  'chunked',
  '*/*',
  'Bearer x',
  'Bearer '.repeat(50),
  '\u00ff\u00fe',
  '-1',
  '99999999999999',
  'null',
  'http://evil.example',
  'srch_x',
  '00-zz',
  'x'.repeat(4000),
];
const headerNames = [
  'content-type',
  'content-encoding',
  'authorization',
  'origin',
  'idempotency-key',
  'last-event-id',
  'traceparent',
  'accept',
  'expect',
  'x-forwarded-for',
  'if-none-match',
  'range',
  'cookie',
  'te',
];
const paths = [
  '/v1/chat/completions',
  '/v1/chat/completions',
  '/v1/chat/completions',
  '/v1/searches',
  '/v1/searches/x/cancel',
  '/v1/searches/%00',
  '/v1/models/%ff',
  '/v1/searches?limit=%00&state=,',
  '//',
  '/v1/../metrics',
  '/%2e%2e',
];
const methods = ['POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.integer(items.length)]!;
}

function mutate(value: unknown, random: Random, depth: number): unknown {
  if (random.chance(0.15)) return pick(random, odd);
  if (depth > 4 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((each) => (random.chance(0.3) ? mutate(each, random, depth + 1) : each));
    return random.chance(0.2) ? [...items, ...items] : items;
  }
  const entries = Object.entries(value).filter(() => !random.chance(0.15));
  const changed = entries.map(([key, each]) => [
    random.chance(0.03) ? JSON.stringify(pick(random, odd)) : key,
    random.chance(0.2) ? mutate(each, random, depth + 1) : each,
  ]);
  return Object.fromEntries(
    random.chance(0.1) ? [...changed, [JSON.stringify(pick(random, odd)), pick(random, odd)]] : changed,
  );
}

function bodyOf(random: Random): Buffer {
  const kind = random.uniform();
  if (kind < 0.1) return Buffer.from(Array.from({ length: random.integer(200) }, () => random.integer(256)));
  const text = JSON.stringify(mutate(valid, random, 0)) ?? '';
  if (kind < 0.25) {
    const bytes = Buffer.from(text);
    for (let flips = 1 + random.integer(4); flips > 0 && bytes.length > 0; flips -= 1)
      bytes[random.integer(bytes.length)] = random.integer(256);
    return bytes;
  }
  if (kind < 0.3) return Buffer.from(text.slice(0, random.integer(text.length + 1)));
  if (kind < 0.32) return Buffer.from(`${'['.repeat(5000)}${']'.repeat(random.integer(2) * 5000)}`);
  return Buffer.from(text);
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Mostly where bodies are read; now and then anywhere. */
function target(random: Random): { readonly path: string; readonly method: string } {
  if (random.chance(0.1)) return { path: pick(random, paths), method: pick(random, methods) };
  return { path: random.chance(0.7) ? '/v1/chat/completions' : '/v1/searches', method: 'POST' };
}

function send(url: URL, agent: Agent, random: Random): Promise<Answer> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  while (random.chance(0.25)) headers[pick(random, headerNames)] = pick(random, headerValues);
  const body = bodyOf(random);
  headers['content-length'] = String(body.length);
  const options = {
    agent,
    host: url.hostname,
    port: url.port,
    ...target(random),
    headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body: text }),
      );
      response.on('error', reject);
    });
    request.on('error', (error) =>
      reject(
        new Error(
          `${error.message}: ${JSON.stringify(options.method)} ${options.path} ${JSON.stringify(headers)} ${body.length}`,
        ),
      ),
    );
    request.end(body);
  });
}

/** Traces of our own code or machine, which no answer may show. */
const leak = /node:internal|node_modules|\.ts:\d+|\bat [\w.]+ \(|file:\/\/|\/home\//;

/** An engine's own chat endpoint that takes everything. */
async function agreeable(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test.each(['embedded', 'remote'])(
  `${requests / 2} random and mutated requests, %s engine: 2xx, or 4xx in OpenAI's shape`,
  async (kind) => {
    const upstream = { urls: [await agreeable()], model: 'real', headers: {} };
    const { url, logged, gateway } = await runGateway({
      ...(kind === 'remote' ? { upstream } : {}),
      config: { server: { bodyBytes: 65_536 } },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    const statuses = new Map<number, number>();
    const wrong: string[] = [];
    let next = 0;
    const worker = async () => {
      while (next < requests / 2) {
        const number = next;
        next += 1;
        const { status, type, body } = await send(new URL(url), agent, new Random(seed, kind, number));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // A path of the page, /searches/ID, is sent on to the page itself.
        const good = status < 300 || status === 302;
        const fine = good || (status >= 400 && status < 500);
        const shaped = good || (type.startsWith('application/json') && isError(body));
        if (!fine || !shaped || leak.test(body)) wrong.push(`${number}: ${status} ${body.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    agent.destroy();
    expect(wrong).toEqual([]);
    expect(logged.filter((line) => line.includes('"event":"internal"'))).toEqual([]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    while (gateway.searches.liveCount > 0) await new Promise((resolve) => setImmediate(resolve));
    console.log(`${kind}: statuses ${JSON.stringify(Object.fromEntries([...statuses].sort()))}, seed ${seed}`);
    expect(statuses.get(200)).toBeGreaterThan(requests / 100);
  },
);

function isError(body: string): boolean {
  const { error } = JSON.parse(body) as { error?: Record<string, unknown> };
  return typeof error?.message === 'string' && typeof error.type === 'string' && 'param' in error && 'code' in error;
}
