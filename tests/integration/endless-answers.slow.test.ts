// Answers without an end, three of each server at a time: each request ends, the process stays small, and what was asked meanwhile was answered. Prints how
// long `/health` took at worst, and the memory after each kind.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServedProcess } from '../support/served-process.ts';

const script = fileURLToPath(new URL('../servers/endless-server.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coppice-endless-'));
let upstream: ChildProcess;
let hostile: { readonly url: string; readonly kinds: readonly string[] };
let served: ServedProcess;

beforeAll(async () => {
  upstream = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  hostile = await new Promise((resolve) => {
    upstream.stdout!.once('data', (text) => resolve(JSON.parse(String(text))));
  });
  const models = ['plain', 'vllm'].map((name) => {
    const engine = { kind: 'openai', urls: [`${hostile.url}/${name}`] };
    return { name, engine, verifier: { kind: 'none' } };
  });
  writeFileSync(join(folder, 'coppice.json'), JSON.stringify({ models }));
  served = await ServedProcess.start(['--config', join(folder, 'coppice.json'), '--journal', join(folder, 'j.db')]);
});
afterAll(async () => {
  await served?.kill();
  upstream?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function residentMiB(): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${served.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}

/** Whole or as a stream, passed through or of a search; read to its end, which may be that the connection breaks. */
async function ask(body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const messages = [{ role: 'user', content: 'How many?' }];
  const request = { method: 'POST', headers, body: JSON.stringify({ messages, max_tokens: 1000, ...body }) };
  const answer = await fetch(`${served.url}/v1/chat/completions`, request);
  let bytes = 0;
  try {
    for await (const chunk of answer.body ?? []) bytes += chunk.length;
    return `${answer.status}, ${bytes} bytes`;
  } catch {
    return `${answer.status}, broken off after ${bytes} bytes`;
  }
}

/** The worst time that `/health` takes while something goes on. */
async function worstHealthMs(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  let worst = 0;
  while (!isOver) {
    const beganMs = performance.now();
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
    worst = Math.max(worst, performance.now() - beganMs);
  }
  await work;
  return Math.round(worst);
}

test('no endless answer ends the process, fills its memory or keeps a request open', async () => {
  const idle = worstHealthMs(new Promise((resolve) => setImmediate(resolve)).then(() => readFileSync(script)));
  console.log(`idle: /health at worst ${await idle} ms; ${residentMiB()} MiB`);
  const coppice = { deadline_ms: 3000, program: 'self-consistency', rollouts: 3 };
  for (const kind of hostile.kinds) {
    await fetch(`${hostile.url}/kind`, { method: 'POST', body: kind });
    const bodies = [{ stream: true }, { stream: false }, { stream: true, reasoning_effort: 'none' }];
    const asked = ['plain', 'vllm'].flatMap((model) => bodies.map((body) => ask({ model, coppice, ...body })));
    const worst = await worstHealthMs(Promise.all(asked));
    console.log(
      `${kind}: /health at worst ${worst} ms (${(await Promise.all(asked)).join('; ')}); ${residentMiB()} MiB`,
    );
    expect(residentMiB()).toBeLessThan(600);
  }
  expect(await served.stop()).toBe(0);
});
