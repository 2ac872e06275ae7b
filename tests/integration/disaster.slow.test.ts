// `coppice serve` as a process of its own, in what befalls a real machine: a disk that fills and is freed (by the limit on
// the size of its files), a journal that is damaged between two runs, and 3,100 clients that say nothing.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-disaster-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(name: string, ...more: string[]): Promise<ServedProcess> {
  const journal = join(folder, `${name}.db`);
  const served = await ServedProcess.start([
    '--sim',
    '--journal',
    journal,
    '--set',
    'models.0.engine.speed=20',
    ...more,
  ]);
  onTestFinished(() => served.kill());
  return served;
}

async function create(url: string, at: number, padding = 0): Promise<Response> {
  const messages = [{ role: 'user', content: `question ${at} ${'?'.repeat(padding)}` }];
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'simulated', background: true, seed: at, messages });
  return fetch(`${url}/v1/searches`, { method: 'POST', headers, body });
}

async function states(url: string): Promise<string[]> {
  const { data } = (await (await fetch(`${url}/v1/searches?limit=500`)).json()) as Loose;
  return data.map(({ state }: Loose) => state);
}

const isReady = async (url: string) => (await fetch(`${url}/ready`)).status === 200;

test.skipIf(process.platform !== 'linux')('a disk that fills and is freed loses nothing', async () => {
  const served = await start('full');
  const { url } = served;
  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(served.pid), `--fsize=${bytes}:unlimited`]);
  let accepted = 0;
  for (; accepted < 5; accepted += 1) expect((await create(url, accepted, 20_000)).status).toBe(202);
  limit(String(statSync(join(folder, 'full.db-wal')).size));
  let refused: Response | undefined;
  for (let at = 0; refused === undefined && at < 100; at += 1) {
    const answer = await create(url, 100 + at, 20_000);
    if (answer.status === 202) accepted += 1;
    else refused = answer;
  }
  expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await isReady(url)).toBe(false);
  limit('unlimited');
  await until(() => isReady(url));
  expect((await create(url, 200)).status).toBe(202);
  accepted += 1;
  await until(async () => (await states(url)).every((state) => state === 'done'));
  expect(await states(url)).toHaveLength(accepted);
  const lines = served.errors
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Loose);
  const told = lines.filter(({ event, search }) => event === 'journal' && search === undefined);
  expect(told.map(({ level }) => level).slice(0, 2)).toEqual(['error', 'warn']);
  expect(served.errors).not.toContain('    at ');
  expect(await served.stop()).toBe(0);
});

test('garbage in the log of a journal is told in one line, and the start does as it is configured', async () => {
  const first = await start('damaged');
  // Less than what makes SQLite take the log into the file and begin it anew.
  for (let at = 0; at < 40; at += 1) expect((await create(first.url, at)).status).toBe(202);
  await first.kill();
  const log = join(folder, 'damaged.db-wal');
  const bytes = readFileSync(log);
  bytes.fill(0xa5, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 5000);
  writeFileSync(log, bytes);
  const refusal = await start('damaged').catch((error: Error) => error.message);
  expect(refusal).toMatch(
    /^serve ended with 1: coppice: the log .*-wal is damaged at byte \d+, and the \d+ commits behind/,
  );
  expect(String(refusal).trim().split('\n')).toHaveLength(1);
  const second = await start('damaged', '--set', 'journal.damaged=set-aside');
  expect(second.errors).toMatch(/a copy is kept as .*damaged\.db\.damaged-1/);
  expect(readdirSync(folder)).toContain('damaged.db.damaged-1-wal');
  expect((await create(second.url, 99)).status).toBe(202);
  await until(async () => (await states(second.url)).every((state) => state === 'done' || state === 'failed'));
  expect(await second.stop()).toBe(0);
});

test('3,100 connections that say nothing lock nobody out', async () => {
  const { url } = await start('silent');
  const { port, hostname } = new URL(url);
  const sockets = Array.from({ length: 3100 }, () => connect(Number(port), hostname).on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)));
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'simulated', messages: [{ role: 'user', content: 'how many?' }] });
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
});
