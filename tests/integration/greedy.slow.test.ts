// Connections that ask and never read, as many as the server takes and more: `/health` and a chat are answered throughout, and
// memory stays bounded. Against `coppice serve` with its page and the simulated engine, in a process of its own, on loopback.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { watchHealth } from '../support/health-watch.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

/** As many as the server takes by default. */
const most = 3000;
/** A busy system gives some of them up before the server hears of them: 157 were seen. */
const leastSeen = 0.9 * most;
const durationMs = 5_000;
const mostComingMs = 240_000;
/** 210 to 410 MB were seen. Bodies that were all kept would make it 740. */
const mostBytes = 500e6;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

async function start(prepare: (path: string) => Promise<void> = async () => {}): Promise<ServedProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-greedy-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  await prepare(join(folder, 'journal.db'));
  const settings = ['models.0.engine.speed=50', 'limits.mediumRollouts=2'];
  const served = await ServedProcess.start([
    '--sim',
    '--journal',
    join(folder, 'journal.db'),
    ...settings.flatMap((each) => ['--set', each]),
  ]);
  undo.unshift(() => served.kill());
  return served;
}

/** The largest file of the page. */
async function assetOf({ url }: ServedProcess): Promise<string> {
  const [, path] = /src="\.?(\/assets\/[^"]+\.js)"/.exec(await (await fetch(url)).text()) ?? [];
  if (path === undefined) throw new Error('the page names no script');
  return path;
}

/**
 * Opens so many at once; each sends its requests, reads nothing and stays. None sends before all are there: however slow the machine, the
 * limit on connections is met before that on unread answers.
 */
async function besiege({ url }: ServedProcess, count: number, requests: string): Promise<() => void> {
  const { port, hostname } = new URL(url);
  const bytes = Buffer.from(requests);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => {}));
  const leave = () => {
    for (const socket of sockets) socket.destroy();
  };
  undo.push(leave);
  await Promise.all(sockets.map((socket) => new Promise((come) => socket.once('connect', come).once('close', come))));
  for (const socket of sockets) socket.write(bytes);
  return leave;
}

interface Seen {
  readonly healths: (number | string)[];
  readonly chats: (number | string)[];
  slowestMs: number;
  mostBytes: number;
  mostOpen: number;
  /** For any reason. */
  closed: number;
}

interface Answer {
  readonly status: number | string;
  readonly text: string;
}

/** Over a new connection, for as long as it takes: `fetch` gives up what is not connected within ten seconds, and a busy machine may need them. */
function ask(url: string, body?: string): Promise<Answer> {
  const headers = { connection: 'close', 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const asked = httpRequest(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', (error) => resolve({ status: String(error), text: '' }));
    asked.end(body);
  });
}

/** Asks for both, over a new connection each time: until they have come and the limit was met, and some time more. */
async function watch(served: ServedProcess, limit: RegExp, least = leastSeen): Promise<Seen> {
  const seen: Seen = { healths: [], chats: [], slowestMs: 0, mostBytes: 0, mostOpen: 0, closed: 0 };
  const question = JSON.stringify({ model: 'simulated', messages: [{ role: 'user', content: 'hello' }] });
  const status = async (path: string, body?: string) => {
    const startMs = performance.now();
    const answer = await ask(`${served.url}${path}`, body);
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startMs);
    if (path === '/metrics') note(seen, answer.text);
    return answer.status;
  };
  let endMs = performance.now() + mostComingMs;
  while (performance.now() < endMs) {
    seen.healths.push(await status('/health'));
    seen.chats.push(await status('/v1/chat/completions', question));
    await status('/metrics');
    if (seen.mostOpen + seen.closed >= least && limit.test(served.errors))
      endMs = Math.min(endMs, performance.now() + durationMs);
  }
  return seen;
}

function note(seen: Seen, metrics: string): void {
  const sum = (name: string) =>
    [...metrics.matchAll(new RegExp(`^(?:coppice_)?${name}(?:\\{.*\\})? (\\S+)`, 'gm'))].reduce(
      (all, [, each]) => all + Number(each),
      0,
    );
  seen.mostBytes = Math.max(seen.mostBytes, sum('process_resident_memory_bytes'));
  seen.mostOpen = Math.max(seen.mostOpen, sum('connections'));
  seen.closed = sum('connections_closed_total');
}

async function attack(count: number, times: number, limit: RegExp): Promise<void> {
  const served = await start();
  await besiege(served, count, get(await assetOf(served), times));
  const seen = await watch(served, limit);
  const memory = `${Math.round(seen.mostBytes / 1e6)} MB at most`;
  const asked = `${seen.healths.length} healths and chats, the slowest in ${Math.round(seen.slowestMs)} ms`;
  console.log(
    `${count} connections, ${times} requests each: ${seen.mostOpen} open at most, ${seen.closed} closed; ${asked}; ${memory}`,
  );
  expect(new Set(seen.healths)).toEqual(new Set([200]));
  expect(new Set(seen.chats)).toEqual(new Set([200]));
  expect(seen.mostOpen + seen.closed).toBeGreaterThanOrEqual(leastSeen);
  expect(seen.mostBytes).toBeLessThan(mostBytes);
  expect(served.errors).toMatch(limit);
}

const get = (path: string, times: number) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(times);

test(`${most} connections that ask for a file 40 times and read nothing`, async () => {
  await attack(most, 40, /"limit":"pipelined"/);
});

test('more connections than there is room for, within the limit on requests that wait', async () => {
  await attack(most + 300, 6, /"limit":"room"/);
});

const id = 'srch_0000000000000000000000000000';

/** An ended search whose log, of 16 MB, no system takes for a client that does not read. */
async function writeLog(path: string): Promise<void> {
  const journal = new SqliteJournal({ path });
  const facts = {
    owner: 'local',
    fingerprint: 'f',
    background: true,
    createdMs: 1,
    about: {},
    title: 't',
    request: {},
  };
  await journal.accept({ id, ...facts });
  await journal.claim(id, 0, 1);
  const event = { type: 'moved', strand: 0, node: 0, text: 'step '.repeat(200) } as never;
  for (let sequence = 0; sequence < 16_000; sequence += 1) journal.append(1, { search: id, sequence, atMs: 1, event });
  await journal.finish(id, 1, { state: 'done', endedMs: 2, outcome: {}, texts: {} });
  await journal.close();
}

/** As the system counts it. */
function residentBytes({ pid }: ServedProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** All of it but one byte: 500 MB in a thousand of them. */
function slowBody(path: string, type: string): string {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n`;
  return `${head}content-length: 500001\r\n\r\n${' '.repeat(500_000)}`;
}

test.skipIf(!existsSync('/proc/self/status'))(
  `${most} connections that open streams and do not read, or stop in the middle of what they send: memory is bounded, and given back`,
  async () => {
    const served = await start(writeLog);
    const megabytes = () => Math.round(residentBytes(served) / 1e6);
    const before = megabytes();
    const kinds: readonly [number, string][] = [
      // Below the limit on streams, so that a chat finds room for its own.
      [0.3 * most, get(`/v1/searches/${id}/events`, 1)],
      [0.3 * most, get('/v1/overview/events', 1)],
      [0.2 * most, slowBody('/v1/chat/completions', 'application/json')],
      [0.2 * most, slowBody('/v1/files', 'multipart/form-data; boundary=x')],
    ];
    const leave = await Promise.all(kinds.map(([count, requests]) => besiege(served, count, requests)));
    const [seen, health] = await watchHealth(served.url, () => watch(served, /"limit":"bodies"/, 0.6 * most));
    const during = megabytes();
    for (const each of leave) each();
    const open = async () => Number(/^coppice_connections (\d+)/m.exec((await ask(`${served.url}/metrics`)).text)?.[1]);
    await until(async () => (await open()) < 20);
    await until(() => megabytes() < Math.max(0.75 * during, before + 100));
    const after = megabytes();
    const figures = `${before} MB before, ${Math.round(seen.mostBytes / 1e6)} at most, ${during} at the end, ${after} after`;
    const waits = `worst of ${health.asked} /health ${Math.round(health.worstMs)} ms`;
    console.log(`${most} connections: ${seen.mostOpen} open at most, ${seen.closed} closed; ${figures}; ${waits}`);
    expect(new Set(seen.healths)).toEqual(new Set([200]));
    expect(new Set(seen.chats)).toEqual(new Set([200]));
    expect(Math.max(seen.mostBytes, 1e6 * during)).toBeLessThan(mostBytes);
  },
);
