// kill -9 twice in the middle of one search that gets no answer: the third process sets it aside, says why, and goes on with others. On a journal
// of one node and between the nodes of a cluster.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { VllmServer } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const main = fileURLToPath(new URL('../../packages/coppice/src/cli/main.ts', import.meta.url));

async function get(url: string): Promise<Loose> {
  return (await fetch(url)).json();
}

async function create(url: string): Promise<Loose> {
  const body = { model: 'm', background: true, messages: [{ role: 'user', content: 'How many?' }] };
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

async function finished(url: string, id: string): Promise<Loose> {
  await until(async () => (await get(`${url}/v1/searches/${id}`)).ended_ms !== null);
  return get(`${url}/v1/searches/${id}`);
}

/** As the journal has it: a run that it has not heard of when its process dies counts as none. */
async function running(url: string, id: string): Promise<void> {
  await until(async () => (await get(`${url}/v1/searches/${id}`)).state === 'running');
}

/** A model whose engine gives no answer until it is let go, and the way to start a process for it. */
async function silentEngine(journal: (folder: string) => readonly string[], environment: NodeJS.ProcessEnv) {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-aside-'));
  const engine = await new VllmServer().listen();
  const answering = Promise.withResolvers<void>();
  engine.pace = () => answering.promise;
  const processes: ServedProcess[] = [];
  onTestFinished(async () => {
    for (const each of processes) await each.kill();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const config = join(folder, 'coppice.json');
  const model = { name: 'm', engine: { kind: 'openai', urls: [engine.url] }, verifier: { kind: 'none' } };
  writeFileSync(config, JSON.stringify({ models: [model] }));
  const start = async () => {
    const served = await ServedProcess.start(['--config', config, ...journal(folder)], environment);
    processes.push(served);
    return served;
  };
  const asked = () => engine.bodies('/v1/completions').filter(({ max_tokens: most }) => most !== 1).length;
  return { start, asked, letGo: () => answering.resolve() };
}

const why = '2 processes died while they ran it and before it got any further';

test('on one node', async () => {
  const { start, asked, letGo } = await silentEngine((folder) => ['--journal', join(folder, 'journal.db')], {});
  const first = await start();
  const { id } = await create(first.url);
  for (let life = 0, served = first; life < 2; life += 1) {
    const before = asked();
    if (life > 0) served = await start();
    await until(() => asked() > (life === 0 ? 0 : before));
    await running(served.url, id);
    await served.kill();
  }
  const third = await start();
  expect(await get(`${third.url}/v1/searches/${id}`)).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining(why) },
  });
  letGo();
  expect(await finished(third.url, (await create(third.url)).id)).toMatchObject({ state: 'done' });
  expect(third.errors).toContain(why);
});

test.skipIf(!hasPostgres)('between the nodes of a cluster', async () => {
  const database = startPostgres();
  onTestFinished(() => database.remove());
  const environment = { DATABASE_URL: database.url };
  execFileSync(process.execPath, [main, 'migrate'], { env: { ...process.env, ...environment } });
  const { start, letGo } = await silentEngine(() => ['--set', 'journal.kind=postgres'], environment);
  const first = await start();
  const { id } = await create(first.url);
  const connection = new pg.Client(database.url);
  await connection.connect();
  onTestFinished(() => connection.end());
  /** A run that the journal has not heard of when its process dies counts as none. */
  const begun = async (runs: number) => {
    const { rows } = await connection.query('select runs from coppice.searches where id = $1', [id]);
    return rows[0]?.runs === runs;
  };
  await until(() => begun(1));
  const second = await start();
  await first.kill();
  await until(() => begun(2));
  const third = await start();
  await second.kill();
  expect(await finished(third.url, id)).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining(why) },
  });
  letGo();
  expect(await finished(third.url, (await create(third.url)).id)).toMatchObject({ state: 'done' });
});
