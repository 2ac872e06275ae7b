// Slow or stalled readers of streams of many megabytes: nothing is lost, and only time cuts them.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { question, type Running, runGateway } from '../../../../tests/support/running-gateway.ts';
import { turn, until } from '../../../../tests/support/until.ts';
import { SqliteJournal } from '../../../core/src/journal/sqlite/sqlite-journal.ts';

/** A request whose answer is read when the test says so. */
async function open(url: string, method: string, path: string, body = ''): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n`;
  socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return socket;
}

/** Reads a piece, then waits for a few turns of the event loop, and so on. */
async function readSlowly(socket: Socket): Promise<string[]> {
  const pieces: Buffer[] = [];
  for await (const piece of socket) {
    pieces.push(piece as Buffer);
    for (let turns = 0; turns < 3; turns += 1) await turn();
  }
  return unchunked(Buffer.concat(pieces))
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length));
}

function unchunked(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = bytes.indexOf('\r\n\r\n') + 4; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size > 0)) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function journalOnDisk(): SqliteJournal {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-slow-readers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new SqliteJournal({ path: join(folder, 'journal.db') });
}

/** An ended search whose log has this many entries of this many characters, and one entry a thousand times as long. */
async function writeLog({ journal }: Running, entries: number, chars: number): Promise<void> {
  const facts = {
    owner: 'local',
    fingerprint: 'f',
    background: true,
    createdMs: 1,
    about: {},
    title: 't',
    request: {},
  };
  await journal.accept({ id: 'srch_long', ...facts });
  await journal.claim('srch_long', 0, 1);
  const event = (width: number) => ({ type: 'width', width, why: 'x'.repeat(chars) }) as unknown as Loose;
  for (let sequence = 0; sequence < entries; sequence += 1)
    journal.append(1, { search: 'srch_long', sequence, atMs: 1, event: event(sequence) });
  const more = Array.from({ length: 1000 }, (_, at) => event(entries + 1 + at));
  journal.append(1, { search: 'srch_long', sequence: entries, atMs: 1, event: event(entries), more });
  await journal.flush();
  await journal.finish('srch_long', 1, { state: 'done', endedMs: 2, outcome: {}, texts: {} });
}

test('a log of 16 MB, 4 MB of it in one entry, is read whole, in order, by a reader that begins when the server has stopped writing', async () => {
  const running = await runGateway({ journal: journalOnDisk() });
  await writeLog(running, 3000, 4000);
  const reads: number[] = [];
  const read = running.journal.read.bind(running.journal);
  running.journal.read = (search, after, limit) => {
    reads.push(after);
    return read(search, after, limit);
  };
  const socket = await open(running.url, 'GET', '/v1/searches/srch_long/events');
  // The server stops reading the journal before the end: the rest is not in memory.
  for (let before = -1; before !== reads.length || before === 0; ) {
    before = reads.length;
    for (let turns = 0; turns < 50; turns += 1) await turn();
  }
  expect(reads.at(-1)).toBeLessThan(3000);
  const lines = await readSlowly(socket);
  expect(lines.slice(0, -1).map((line) => JSON.parse(line).event.width)).toEqual([...Array(4001).keys()]);
  expect(JSON.parse(lines.at(-1)!)).toEqual({ state: 'done' });
});

test('a reader that reads nothing is cut after a time, counted and logged', async () => {
  const running = await runGateway({ journal: journalOnDisk(), limits: { unreadMs: 1 } });
  await writeLog(running, 3000, 4000);
  await open(running.url, 'GET', '/v1/searches/srch_long/events');
  await until(() => running.logged.some((line) => line.includes('"limit":"unread"')));
  expect(await (await fetch(`${running.url}/metrics`)).text()).toMatch(/connections_closed_total\{limit="unread"\} 1/);
});

const words = Array.from({ length: 200 }, (_, at) => `${at}${'z'.repeat(40_000)} `);
const long = `${words.join('')}The answer is 4.`;

test.each([
  ['word by word', { reasoning_effort: 'none' }],
  ['step by step', { coppice: { program: 'greedy' } }],
])('an answer of 8 MB, %s, is streamed whole to a reader that begins when it has ended', async (_, settings) => {
  const script = () => ({ text: long, end: 'eos' }) as const;
  const { url, gateway, engine } = await runGateway({ scripted: { script } });
  const body = JSON.stringify({ ...question, stream: true, ...settings });
  const socket = await open(url, 'POST', '/v1/chat/completions', body);
  await until(() => engine.asked.length > 0 && [...gateway.searches.live].length === 0);
  const lines = await readSlowly(socket);
  expect(lines.at(-1)).toBe('[DONE]');
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line) as Loose);
  const text = chunks.map(({ choices: [{ delta }] }) => delta.content ?? '').join('');
  expect(text === long).toBe(true);
});
