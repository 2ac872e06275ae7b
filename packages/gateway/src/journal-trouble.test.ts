// The gateway on a journal whose disk is full for a while.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFillable } from '../../../tests/support/full-disk.ts';
import type { Loose } from '../../../tests/support/loose.ts';
import { post, question, runGateway } from '../../../tests/support/running-gateway.ts';
import { until } from '../../../tests/support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-trouble-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function runOnDisk(name: string) {
  const { journal, jam, free } = openFillable({ path: join(folder, name) });
  const running = await runGateway({ journal, scripted: { held: true } });
  const lines = (): Loose[] =>
    running.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === 'journal');
  return { ...running, disk: journal, jam, free, lines };
}

/** Long enough for several pages. */
const long = { ...question, messages: [{ role: 'user', content: `make 24 from 4 7 8 8 ${'!'.repeat(40_000)}` }] };

async function create(url: string): Promise<string> {
  const answer = (await (await post(`${url}/v1/searches`, { ...long, background: true })).json()) as Loose;
  return answer.id;
}

async function read(url: string, id: string): Promise<Loose> {
  return (await fetch(`${url}/v1/searches/${id}`)).json();
}

test('a full disk: not ready, new work 503, what runs goes on, cancelling stops it, and all is written afterwards', async () => {
  const { url, engine, disk, jam, free, lines, logged, gateway } = await runOnDisk('full.db');
  const [kept, stopped] = [await create(url), await create(url)];
  await until(() => engine.open >= 2);
  await disk.flush();
  jam();
  expect((await post(`${url}/v1/searches`, { ...long, background: true })).status).toBe(503);

  const chat = await post(`${url}/v1/chat/completions`, question);
  expect([chat.status, chat.headers.get('retry-after')]).toEqual([503, '10']);
  expect(((await chat.json()) as Loose).error).toMatchObject({ code: 'unavailable', type: 'server_error' });
  const ready = await fetch(`${url}/ready`);
  expect([ready.status, ((await ready.json()) as Loose).journal]).toEqual([503, { healthy: false }]);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^coppice_journal_healthy 0$/m);

  const cancelled = await fetch(`${url}/v1/searches/${stopped}`, { method: 'DELETE' });
  expect(cancelled.status).toBe(503);
  expect(((await cancelled.json()) as Loose).error.message).toMatch(/stopped here.*ask again/);
  engine.release();
  // Both have ended here, but not on disk: clients see what is on disk.
  await until(() => gateway.searches.admission.running === 0);
  expect([(await read(url, stopped)).state, (await read(url, kept)).state]).toEqual(['running', 'running']);
  const listed = (await (await fetch(`${url}/v1/searches`)).json()) as Loose;
  expect(listed.data.map(({ state }: Loose) => state)).toEqual(['running', 'running']);

  free();
  await disk.flush();
  expect([(await read(url, stopped)).state, (await read(url, kept)).state]).toEqual(['cancelled', 'done']);
  expect((await disk.find(kept))?.state).toBe('done');
  expect((await disk.find(stopped))?.state).toBe('cancelled');
  expect((await fetch(`${url}/v1/searches/${stopped}`, { method: 'DELETE' })).status).toBe(200);
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  expect((await post(`${url}/v1/chat/completions`, question)).status).toBe(200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^coppice_journal_healthy 1$/m);
  expect(metrics).toMatch(/^coppice_journal_failures_total [1-9]\d*$/m);
  expect(metrics).toMatch(/^coppice_journal_commits_total [1-9]\d*$/m);
  expect(metrics).toMatch(/^coppice_journal_bytes [1-9]\d*$/m);
  expect(metrics).toMatch(/^coppice_journal_unwritten_seconds /m);

  // The log has one line when it begins and one when it is over, none with a stack.
  expect(logged.join('')).not.toContain('\\n    at ');
  const told = lines().filter(({ search }) => search === undefined);
  expect(told.map(({ message }) => message)).toEqual([
    expect.stringMatching(/full\.db cannot be written: database or disk is full; free the disk, or set journal\.path/),
    'the journal can be written again; the entries that waited are stored',
  ]);
});

test('a client that waits while the disk fills gets its answer', async () => {
  const { url, engine, disk, jam, free } = await runOnDisk('waits.db');
  const answer = post(`${url}/v1/chat/completions`, long);
  await until(() => engine.open > 0);
  jam();
  engine.release();
  expect((await answer).status).toBe(200);
  free();
  await disk.flush();
  expect((await disk.list({ limit: 5 })).map(({ state }) => state)).toEqual(['done']);
});

test('a search that a client reads by its id is not done before its end is on disk', async () => {
  const { url, engine, jam, free, disk } = await runOnDisk('waits-by-id.db');
  const answer = post(`${url}/v1/searches`, long);
  await until(() => engine.open > 0);
  await disk.flush();
  jam();
  engine.release();
  const told = await answer;
  expect([told.status, ((await told.json()) as Loose).error.message]).toEqual([
    503,
    expect.stringMatching(/has ended/),
  ]);
  free();
  await disk.flush();
  expect((await disk.list({ limit: 5 })).map(({ state }) => state)).toEqual(['done']);
});

test('stopping on a full disk ends, and says what could not be written', async () => {
  const { url, engine, disk, jam, close, lines, gateway } = await runOnDisk('stop.db');
  await create(url);
  await until(() => engine.open > 0);
  await disk.flush();
  jam();
  engine.release();
  await until(() => gateway.searches.admission.running === 0);
  await close();
  expect(JSON.stringify(lines())).toMatch(/was closed with \d+ writes that it could not take/);
});
