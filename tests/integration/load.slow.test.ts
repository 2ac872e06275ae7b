// Many clients at once, and far too many: against the simulated engine on the real clock, in a process of its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { ServedProcess } from '../support/served-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-load-'));
const running: ServedProcess[] = [];
afterAll(async () => {
  agent.destroy();
  for (const each of running) await each.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function start(settings: readonly string[], environment?: NodeJS.ProcessEnv): Promise<ServedProcess> {
  const journal = join(folder, `${running.length}.db`);
  const set = settings.flatMap((each) => ['--set', each]);
  const served = await ServedProcess.start(['--sim', '--journal', journal, ...set], environment);
  running.push(served);
  return served;
}

const agent = new Agent({ keepAlive: true, maxSockets: 600 });

/** Over connections that are kept: the machine may be busy, and a client that waits for a connection is no load. */
function ask(url: string, at: number, body: object): Promise<Answer> {
  const messages = [{ role: 'user', content: `question ${at % 200}` }];
  const text = JSON.stringify({ model: 'simulated', messages, ...body });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      let said = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        said += chunk;
      });
      const retryAfter = Number(response.headers['retry-after'] ?? 0);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, retryAfter, text: said }));
    });
    request.on('error', reject);
    request.end(text);
  });
}

interface Answer {
  readonly status: number;
  readonly retryAfter: number;
  readonly text: string;
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

test('500 clients stream at once: no error, nothing lost, nothing out of order', async () => {
  const served = await start(['models.0.engine.speed=2', 'admission.queue=1000', 'limits.mediumRollouts=8']);
  const delays: number[] = [];
  const watching = setInterval(async () => {
    delays.push(1000 * (await metric(served.url, 'nodejs_eventloop_lag_p99_seconds')));
  }, 1000);
  const clients = Array.from({ length: 500 }, async (_, at) => {
    const { status, text } = await ask(served.url, at, {
      stream: true,
      seed: at,
      stream_options: { include_usage: true },
    });
    expect(status).toBe(200);
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '');
  });
  const streams = await Promise.all(clients);
  clearInterval(watching);
  for (const lines of streams) {
    expect(lines.at(-1)).toBe('[DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line) as Loose);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0].choices[0].delta.role).toBe('assistant');
    const { coppice } = chunks.at(-2);
    const text = (name: string) => chunks.map(({ choices }) => choices[0]?.delta[name] ?? '').join('');
    const { result } = (await (await fetch(`${served.url}/v1/searches/${coppice.search}`)).json()) as Loose;
    expect(text('content')).toBe(result.content);
    expect(text('reasoning_content')).toBe(result.reasoning_content ?? '');
    // The answer goes out with what had been streamed; what the engine still computed then is in the search's own usage.
    const { usage } = chunks.at(-1);
    expect(usage.prompt_tokens).toBe(result.usage.prompt_tokens);
    expect(usage.completion_tokens).toBeGreaterThan(0);
    expect(usage.completion_tokens).toBeLessThanOrEqual(result.usage.completion_tokens);
  }
  const sorted = delays.sort((a, b) => a - b);
  console.log(
    `500 streams: event-loop delay p99 per second, median ${sorted[sorted.length >> 1]} ms, worst ${sorted.at(-1)} ms`,
  );
  expect(served.errors).toBe('');
});

test('ten times the capacity for 20 seconds: 429 for what is too much, deadlines kept, memory bounded', async () => {
  const queue = 40;
  const settings = [
    'models.0.engine.speed=4',
    'models.0.budget=16',
    `admission.queue=${queue}`,
    'limits.mediumRollouts=2',
  ];
  // Half of what lives and garbage were seen to take together: a process that kept what it has refused would die.
  const served = await start(settings, { NODE_OPTIONS: '--max-old-space-size=192' });
  const capacity = await perSecond(served.url, {}, 16, 5000);
  // Less than a full queue takes: not all that wait in it can be done in time.
  const deadlineMs = Math.round((0.6 * 1000 * queue) / capacity);
  const body = { coppice: { deadline_ms: deadlineMs } };
  const before = await metric(served.url, 'process_resident_memory_bytes');
  const statuses = new Map<number, number>();
  const late: number[] = [];
  const exits = new Set<string>();
  const open = new Set<Promise<void>>();
  const rate = 10 * capacity;
  const startMs = performance.now();
  let sent = 0;
  const one = async (at: number) => {
    const { status, retryAfter, text } = await ask(served.url, at, body);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 429) expect(retryAfter).toBeGreaterThan(0);
    if (status !== 200) return;
    const { queue_ms: queueMs, search_ms: searchMs, exit } = (JSON.parse(text) as Loose).coppice;
    late.push(queueMs + searchMs - deadlineMs);
    exits.add(exit.kind);
  };
  while (performance.now() - startMs < 20_000) {
    const due = ((performance.now() - startMs) / 1000) * rate;
    for (; sent < due; sent += 1) {
      const request = one(sent).finally(() => open.delete(request));
      open.add(request);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(open);
  const after = await metric(served.url, 'process_resident_memory_bytes');
  const sorted = late.sort((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  console.log(
    `capacity ${capacity.toFixed(1)}/s, deadline ${deadlineMs} ms; sent ${sent} in 20 s; ${JSON.stringify(Object.fromEntries(statuses))}; exits ${[...exits].join(', ')}; lateness after the deadline p99 ${usual.toFixed(0)} ms, worst ${sorted.at(-1)?.toFixed(0)} ms; memory ${(before / 1e6).toFixed(0)} to ${(after / 1e6).toFixed(0)} MB`,
  );
  // 504: given up while it waited, since it could not be done in time any more.
  expect([...statuses.keys()].filter((status) => ![200, 429, 504].includes(status))).toEqual([]);
  expect(statuses.get(429)).toBeGreaterThan(0);
  expect(statuses.get(200)).toBeGreaterThan(capacity * 10);
  // How late an answer is belongs to whoever else uses the machine: printed above, not asserted.
  // A search that is short of time is given up while it waits, or hurries and ends at its deadline or just before.
  expect(exits.has('deadline') || statuses.has(504)).toBe(true);
  expect(served.errors).toBe('');
});

/** Answers per second with so many clients that each wait for theirs. */
async function perSecond(url: string, body: object, clients: number, durationMs: number): Promise<number> {
  const startMs = performance.now();
  let answered = 0;
  const client = async (number: number) => {
    while (performance.now() - startMs < durationMs) {
      await ask(url, number + 1000 * answered, body);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return (answered * 1000) / (performance.now() - startMs);
}
