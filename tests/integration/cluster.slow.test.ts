// Several nodes on one PostgreSQL, as real processes: a search that one node accepts runs where there is room, is watched
// and cancelled from anywhere, and goes on elsewhere when its node is killed or told to stop.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import OpenAI, { toFile } from 'openai';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCluster } from '../support/cluster-checker.ts';
import type { Loose } from '../support/loose.ts';
import { hasPostgres, startPostgres, type TestDatabase } from '../support/postgres.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const main = fileURLToPath(new URL('../../packages/coppice/src/cli/main.ts', import.meta.url));
const running: ServedProcess[] = [];
let database: TestDatabase;

async function start(...settings: string[]): Promise<ServedProcess> {
  const chosen = ['journal.kind=postgres', 'models.0.budget=16', 'server.shutdownMs=0', ...settings];
  const args = ['--sim', ...chosen.flatMap((setting) => ['--set', setting])];
  const served = await ServedProcess.start(args, { DATABASE_URL: database.url });
  running.push(served);
  return served;
}

async function get(url: string): Promise<Loose> {
  return (await fetch(url)).json();
}

async function create({ url }: ServedProcess, at: number, background = true): Promise<Loose> {
  const body = { model: 'simulated', background, seed: at, messages: [{ role: 'user', content: `question ${at}` }] };
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

/** A chat, as its client reads it. */
async function stream({ url }: ServedProcess, at: number, signal?: AbortSignal): Promise<string> {
  const body = { model: 'simulated', stream: true, seed: at, messages: [{ role: 'user', content: `question ${at}` }] };
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) };
  return (await fetch(`${url}/v1/chat/completions`, request)).text();
}

/** What a stream adds up to. */
function saidIn(text: string, field: 'content' | 'reasoning_content'): string {
  const chunks = [...text.matchAll(/^data: ({.*})$/gm)].map(([, json]) => JSON.parse(json!) as Loose);
  return chunks.map(({ choices }) => choices?.[0]?.delta?.[field] ?? '').join('');
}

/** The processes that run something now. */
async function runners(): Promise<(number | undefined)[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query("select node from coppice.searches where state = 'running'");
  await client.end();
  return rows.map(({ node }) => Number(/-(\d+)-\w+$/.exec(node)?.[1]));
}

const batchLines = Array.from({ length: 30 }, (_, at) => {
  const messages = [{ role: 'user', content: `line ${at}` }];
  const body = { model: 'simulated', messages, seed: at, coppice: { rollouts: 2 } };
  return JSON.stringify({ custom_id: `line ${at}`, method: 'POST', url: '/v1/chat/completions', body });
});

function clientOf({ url }: ServedProcess): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
}

async function createBatch(served: ServedProcess): Promise<string> {
  const openai = clientOf(served);
  const file = await toFile(Buffer.from(batchLines.join('\n')), 'lines.jsonl');
  const { id: input } = await openai.files.create({ purpose: 'batch', file });
  const asked = { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  return (await openai.batches.create(asked)).id;
}

/** The names of its lines as they stand in its results, when it has ended. */
async function answeredLines(served: ServedProcess, id: string): Promise<string[]> {
  const openai = clientOf(served);
  await until(async () => (await openai.batches.retrieve(id)).status === 'completed');
  const { output_file_id: output } = await openai.batches.retrieve(id);
  const told = (await (await openai.files.content(output!)).text()).trimEnd().split('\n');
  return told.map((line) => JSON.parse(line).custom_id);
}

/** As if half a minute had passed since the node that works on a batch has said so. */
async function silent(batch: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('select facts from coppice.documents where id = $1', [batch]);
  const facts = JSON.parse(rows[0].facts);
  const late = JSON.stringify({ ...facts, lease: { ...facts.lease, untilMs: 0 } });
  await client.query('update coppice.documents set facts = $2, revision = revision + 1 where id = $1', [batch, late]);
  await client.end();
}

async function inState({ url }: ServedProcess, state: string): Promise<Loose[]> {
  return (await get(`${url}/v1/searches?limit=500&state=${state}`)).data;
}

describe.skipIf(!hasPostgres)('a cluster', () => {
  beforeAll(() => {
    database = startPostgres();
    execFileSync(process.execPath, [main, 'migrate'], { env: { ...process.env, DATABASE_URL: database.url } });
  });
  afterAll(async () => {
    for (const each of running) await each.kill();
    database?.remove();
  });

  test('runs a search where there is room, and shows, streams and cancels it anywhere', async () => {
    const [first, second] = [await start(), await start()];
    const accepted = await Promise.all(Array.from({ length: 12 }, (_, at) => create(first, at)));
    const streams = accepted.map(async ({ id }) => (await fetch(`${second.url}/v1/searches/${id}/events`)).text());
    for (const text of await Promise.all(streams)) {
      const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
      expect(ids).toEqual(ids.map((_, at) => at));
      expect(text).toMatch(/event: end\ndata: {"state":"done"}/);
    }
    const nodes = await Promise.all(accepted.map(({ id }) => get(`${second.url}/v1/searches/${id}`)));
    expect(nodes.map(({ state }) => state)).toEqual(accepted.map(() => 'done'));

    const slow = await Promise.all(Array.from({ length: 30 }, (_, at) => create(first, 100 + at)));
    // An answer waits two seconds for the end: a busy machine may take longer.
    await Promise.all(slow.map(({ id }) => fetch(`${second.url}/v1/searches/${id}`, { method: 'DELETE' })));
    const states = () => Promise.all(slow.map(async ({ id }) => (await get(`${second.url}/v1/searches/${id}`)).state));
    await until(async () => (await states()).every((state) => state !== 'queued' && state !== 'running'));
    for (const state of await states()) expect(['cancelled', 'done']).toContain(state);
    expect(await states()).toContain('cancelled');
    await Promise.all([first.stop(), second.stop()]);
    expect((await checkCluster(database.url, 'coppice')).problems).toEqual([]);
  });

  test('goes on elsewhere when a node is killed, and at once when it is told to stop', async () => {
    const [first, second] = [await start('models.0.engine.speed=0.3'), await start('models.0.engine.speed=0.3')];
    const accepted = await Promise.all(Array.from({ length: 6 }, (_, at) => create(first, 200 + at)));
    await until(async () => (await inState(first, 'running')).length > 0);
    const batch = await createBatch(second);
    await until(async () => (await runners()).includes(second.pid));
    const third = await start();
    const stoppedMs = performance.now();
    expect(await first.stop()).toBe(0);
    console.log(`handed over and stopped in ${Math.round(performance.now() - stoppedMs)} ms`);
    await second.kill();
    await silent(batch);
    const killedMs = performance.now();
    await until(
      async () =>
        (await inState(third, 'done')).filter(({ id }) => accepted.some((each) => each.id === id)).length ===
        accepted.length,
    );
    console.log(`all done ${Math.round(performance.now() - killedMs)} ms after the kill`);
    // Batches are worked on by one node, and another takes them up: each line is answered once.
    expect(await answeredLines(third, batch)).toEqual(batchLines.map((_, at) => `line ${at}`));
    const { problems, moved } = await checkCluster(database.url, 'coppice');
    expect(problems).toEqual([]);
    expect(moved).toBeGreaterThan(0);
    await third.stop();
  });

  test('keeps the stream of a client whose search moves, whether its node hands over or dies', async () => {
    const home = await start('models.0.budget=1', 'models.0.engine.speed=0.05');
    const [second, third] = [await start('models.0.engine.speed=0.3'), await start('models.0.engine.speed=0.3')];
    const blocker = new AbortController();
    const blocked = stream(home, 300, blocker.signal).catch(() => undefined);
    await until(async () => (await inState(home, 'running')).length === 1);
    const answers = Array.from({ length: 4 }, (_, at) => stream(home, 301 + at));
    await until(async () => (await runners()).length >= 5);
    expect(await runners()).toContain(second.pid);
    const fourth = await start();
    await second.stop();
    await third.kill();
    for (const text of await Promise.all(answers)) {
      expect(text).toMatch(/"finish_reason":"stop"/);
      expect(text).toMatch(/data: \[DONE\]\n\n$/);
      const { id } = JSON.parse(text.slice('data: '.length, text.indexOf('\n'))) as Loose;
      const { result } = await get(`${fourth.url}/v1/searches/${String(id).replace('chatcmpl-', 'srch_')}`);
      expect(saidIn(text, 'content')).toBe(result.content);
      expect(saidIn(text, 'reasoning_content')).toBe(result.reasoning_content);
    }
    blocker.abort();
    await blocked;
    await until(async () => (await inState(fourth, 'running,queued')).length === 0);
    const { problems, moved } = await checkCluster(database.url, 'coppice');
    expect(problems).toEqual([]);
    expect(moved).toBeGreaterThan(0);
    await Promise.all([home.stop(), fourth.stop()]);
  });
});
