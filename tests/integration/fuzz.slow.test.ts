// 20,000 random and mutated bodies and headers over all APIs, or as many as COPPICE_FUZZ says: only 2xx and 4xx come back, errors
// have the shape of their API, nothing crashes or leaks, a key never sees what is another's, and memory stays where it was.

import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { Random } from '../../packages/core/src/base/random.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { newKey } from '../../packages/gateway/src/http/keys.ts';
import { runGateway } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

const requests = Number(process.env.COPPICE_FUZZ ?? 10_000);
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
    // Longer than a busy machine pauses: a deadline that passes is rightly a 504.
    deadline_ms: 600_000,
    priority: 0,
    on_unaccepted: 'best',
    reasoning: 'inline',
  },
};

const { model, messages, temperature, metadata, coppice } = valid;
const some = { model, temperature, metadata, coppice };
/** What each API takes. */
const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  '/v1/chat/completions': valid,
  '/v1/searches': { ...valid, title: 'a title', background: false },
  '/v1/responses': {
    ...some,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'make 24' }] }],
    instructions: 'be brief',
    reasoning: { effort: 'minimal', summary: 'auto' },
    text: { format: { type: 'text' } },
    store: true,
    background: false,
    previous_response_id: null,
    max_output_tokens: 64,
  },
  '/v1/messages': {
    model,
    messages,
    temperature,
    coppice,
    max_tokens: 64,
    system: [{ type: 'text', text: 'be brief' }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    stop_sequences: ['END'],
    metadata: { user_id: 'u' },
  },
  '/v1/messages/count_tokens': { model, messages },
  '/v1/batches': {
    input_file_id: 'file-x',
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { a: 'b' },
  },
  '/v1/completions': { model, prompt: 'make 24', max_tokens: 9 },
  '/v1/embeddings': { model, input: ['make 24'] },
  '/v1/files': { purpose: 'batch', file: 'a line' },
};
const bodyPaths = Object.keys(bodies);

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
  '/v1/files',
  '/v1/files?limit=0&after=%00&order=asc&purpose=x',
  '/v1/files/file-x/content',
  '/v1/files/%00',
  '/v1/batches',
  '/v1/batches?limit=1e9',
  '/v1/batches/batch_x/cancel',
  '/v1/responses/resp_x',
  '/v1/responses/resp_x/cancel',
  '/v1/messages/count_tokens',
  '/v1/usage',
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

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A form of files, whole or broken. */
function formOf(random: Random, fields: unknown): Buffer {
  const parts = Object.entries(Object(fields)).map(([name, value]) => {
    const file = name === 'file' ? `; filename="${random.chance(0.1) ? shown(value) : 'x.jsonl'}"` : '';
    return `--x\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${shown(value)}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--x${random.chance(0.9) ? '--' : ''}\r\n`);
}

function bodyOf(random: Random, path: string): Buffer {
  const kind = random.uniform();
  if (kind < 0.1) return Buffer.from(Array.from({ length: random.integer(200) }, () => random.integer(256)));
  const mutated = mutate(bodies[path] ?? valid, random, 0);
  if (path === '/v1/files' && kind < 0.8) return formOf(random, mutated);
  const text = JSON.stringify(mutated) ?? '';
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
  return { path: pick(random, bodyPaths), method: 'POST' };
}

function send(url: URL, agent: Agent, key: string, random: Random): Promise<Answer> {
  const { path, method } = target(random);
  const type = path === '/v1/files' ? 'multipart/form-data; boundary=x' : 'application/json';
  const headers: Record<string, string> = { 'content-type': type, authorization: `Bearer ${key}` };
  while (random.chance(0.25)) headers[pick(random, headerNames)] = pick(random, headerValues);
  const body = bodyOf(random, path);
  headers['content-length'] = String(body.length);
  const options = {
    agent,
    host: url.hostname,
    port: url.port,
    path,
    method,
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
    const [ann, bob] = [newKey(), newKey()];
    const { url, logged, gateway, engine } = await runGateway({
      ...(kind === 'remote' ? { upstream } : {}),
      // What is kept by design is full long before the middle, so that whatever grows after it is a leak.
      journal: new SqliteJournal({ path: ':memory:', mostEnded: 100 }),
      limits: { bodyBytes: 65_536 },
      config: {
        keys: [key('ann', ann.hash), key('bob', bob.hash)],
      },
    });
    const secret = await hide(url, ann.key);
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    const statuses = new Map<number, number>();
    const wrong: string[] = [];
    let next = 0;
    let heapBytes = 0;
    const worker = async () => {
      while (next < requests / 2) {
        const number = next;
        next += 1;
        // Lines of the log and what the engine was asked are the test's own memory.
        if (logged.length > 1000) logged.splice(0, logged.length, ...logged.filter(isInternal));
        engine.asked.length = 0;
        const { status, type, body } = await send(new URL(url), agent, bob.key, new Random(seed, kind, number));
        if (number === Math.floor(requests / 4)) heapBytes = heapNow();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // A path of the page, /searches/ID, is sent on to the page itself.
        const good = status < 300 || status === 302;
        const fine = good || (status >= 400 && status < 500);
        const shaped = good || (type.startsWith('application/json') && isError(body));
        if (!fine || !shaped || leak.test(body) || body.includes(secret))
          wrong.push(`${number}: ${status} ${body.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    agent.destroy();
    expect(wrong).toEqual([]);
    expect(logged.filter(isInternal)).toEqual([]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await until(() => [...gateway.searches.live].length === 0);
    console.log(`${kind}: statuses ${JSON.stringify(Object.fromEntries([...statuses].sort()))}, seed ${seed}`);
    expect(statuses.get(200)).toBeGreaterThan(requests / 200);
    // Half of the requests have come since.
    const grownBytes = heapNow() - heapBytes;
    console.log(`${kind}: heap grown by ${Math.round(grownBytes / 1e6)} MB since the middle`);
    expect(grownBytes).toBeLessThan(mostGrownBytes);
  },
);

/** Compiled code, caches of the runtime and sockets come and go by a few megabytes; a kilobyte a request would be 10 of them. */
const mostGrownBytes = 5e6;

function isInternal(line: string): boolean {
  return line.includes('"event":"internal"');
}

/** Ann's: a search and a file whose words nobody else may read. */
async function hide(url: string, secretKey: string): Promise<string> {
  const secret = 'cormorant-7319';
  const authorization = `Bearer ${secretKey}`;
  const body = JSON.stringify({ ...valid, messages: [{ role: 'user', content: secret }] });
  const json = { authorization, 'content-type': 'application/json' };
  await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: json, body });
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([secret]), `${secret}.jsonl`);
  const put = await fetch(`${url}/v1/files`, { method: 'POST', headers: { authorization }, body: form });
  expect(put.status).toBe(200);
  return secret;
}

function key(name: string, hash: string) {
  return { name, hash };
}

function heapNow(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

function isError(body: string): boolean {
  const { error } = JSON.parse(body) as { error?: Record<string, unknown> };
  return typeof error?.message === 'string' && typeof error.type === 'string' && 'param' in error && 'code' in error;
}
