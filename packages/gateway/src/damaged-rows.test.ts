// The gateway on a journal in which single rows cannot be read.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import type { Loose } from '../../../tests/support/loose.ts';
import { post, question, runGateway, serverEvents } from '../../../tests/support/running-gateway.ts';
import { until } from '../../../tests/support/until.ts';
import { SqliteJournal } from '../../core/src/journal/sqlite/sqlite-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runOn(path: string, held = false) {
  return runGateway({ journal: new SqliteJournal({ path }), scripted: { held } });
}

function change(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path);
  for (const sql of statements) database.exec(sql);
  database.close();
}

async function create(url: string): Promise<string> {
  return ((await (await post(`${url}/v1/searches`, { ...question, background: true })).json()) as Loose).id;
}

async function get(url: string): Promise<Loose> {
  const response = await fetch(url);
  return { status: response.status, ...((await response.json()) as object) };
}

test('a search is resumed although the log of another is damaged; the other one fails', async () => {
  const path = join(folder, 'resumed.db');
  const before = await runOn(path, true);
  const [sound, spoilt] = [await create(before.url), await create(before.url)];
  await until(() => before.engine.open >= 2);
  await before.journal.flush();
  await before.close();
  change(path, `update events set body = '{"type":' where search = '${spoilt}' and sequence = 1`);

  const { url, logged, journal } = await runOn(path);
  const stateOf = async (id: string) => (await get(`${url}/v1/searches/${id}`)).state;
  await until(async () => (await stateOf(sound)) === 'done' && (await stateOf(spoilt)) === 'failed');
  const { error } = await get(`${url}/v1/searches/${spoilt}`);
  expect(error).toMatchObject({
    code: 'internal',
    message: expect.stringMatching(/could not be resumed from its log/),
  });
  expect(logged.join('')).toContain(`table events, search ${spoilt}, sequence 1: column body holds no JSON object`);
  await journal.flush();
  expect((await journal.find(spoilt))?.state).toBe('failed');
});

test('a plan of an older version is read without the settings that were removed', async () => {
  const path = join(folder, 'older.db');
  const before = await runOn(path, true);
  const id = await create(before.url);
  await until(() => before.engine.open >= 1);
  await before.journal.flush();
  await before.close();
  change(path, "update searches set request = json_set(request, '$.plan.policyOptions.beta', 2)");

  const { url } = await runOn(path);
  await until(async () => (await get(`${url}/v1/searches/${id}`)).state === 'done');
});

test('a search of a policy that is gone is resumed from its log, and read once it has ended', async () => {
  const path = join(folder, 'gone.db');
  const before = await runOn(path, true);
  const id = await create(before.url);
  const ended = (await (
    await post(`${before.url}/v1/responses`, { model: 'm', input: 'make 24', background: true })
  ).json()) as Loose;
  await until(() => before.engine.open >= 2);
  await before.journal.flush();
  await before.close();
  const options = "'$.plan.policyOptions.beatPrune', 0.2, '$.plan.policyOptions.eagerReward', 0.9";
  const exits = "'$.plan.policyOptions.negativeExit', 'selective'";
  change(path, `update searches set request = json_set(request, '$.plan.policy', 'fast', ${options}, ${exits})`);

  const between = await runOn(path);
  await until(async () => (await get(`${between.url}/v1/searches/${id}`)).state === 'done');
  await until(async () => (await get(`${between.url}/v1/responses/${ended.id}`)).status === 'completed');
  await between.close();

  const { url } = await runOn(path);
  expect((await get(`${url}/v1/searches/${id}`)).state).toBe('done');
  expect(await get(`${url}/v1/responses/${ended.id}`)).toMatchObject({ status: 'completed' });
});

test('a row that cannot be read is an error for its readers, and for no others', async () => {
  const path = join(folder, 'read.db');
  const { url, close } = await runOn(path);
  const answered = (await (await post(`${url}/v1/responses`, { model: 'm', input: 'make 24' })).json()) as Loose;
  const [sound, row, log] = [await create(url), await create(url), await create(url)];
  for (const id of [sound, row, log]) await until(async () => (await get(`${url}/v1/searches/${id}`)).state === 'done');
  await close();
  change(
    path,
    `update searches set outcome = '{"exit"' where id = '${row}'`,
    `update searches set request = '' where id = '${answered.id.replace('resp_', 'srch_')}'`,
    `update events set body = '5' where search = '${log}' and sequence = 2`,
  );

  const { url: again } = await runOn(path);
  const { status, data } = await get(`${again}/v1/searches`);
  const states = data.map(({ id, state }: Loose) => [id, state]);
  expect(status).toBe(200);
  expect(states.slice(0, 3)).toEqual([
    [log, 'done'],
    [row, 'failed'],
    [sound, 'done'],
  ]);
  const message = `the journal cannot read this search: table searches, id ${row}: column outcome holds no JSON object`;
  expect(await get(`${again}/v1/searches/${row}`)).toMatchObject({
    status: 200,
    state: 'failed',
    result: null,
    error: { message, code: 'internal', type: 'server_error' },
  });
  const damaged = { status: 500, error: { message: expect.stringMatching(/^the journal is damaged: table searches/) } };
  expect(await get(`${again}/v1/responses/${answered.id}`)).toMatchObject(damaged);

  const events = [];
  for await (const event of serverEvents(await fetch(`${again}/v1/searches/${log}/events`))) events.push(event);
  expect(events.at(-1)?.event).toBe('end');
  const end = JSON.parse(events.at(-1)?.data ?? '');
  expect(end).toMatchObject({ state: 'failed', error: { message: expect.stringMatching(/sequence 2: column body/) } });
});

test('a response whose log cannot be read ends as failed', async () => {
  const path = join(folder, 'stream.db');
  const { url, close } = await runOn(path);
  const { id } = (await (await post(`${url}/v1/responses`, { model: 'm', input: 'make 24' })).json()) as Loose;
  await close();
  change(path, "update events set body = 'x' where sequence = 2");
  const { url: again } = await runOn(path);
  const events = [];
  for await (const event of serverEvents(await fetch(`${again}/v1/responses/${id}?stream=true`))) events.push(event);
  expect(events.map(({ event }) => event)).toEqual(['response.created', 'response.failed']);
  expect(events.at(-1)?.data).toMatch(/sequence 2: column body holds no JSON object/);
});

test('a batch whose file cannot be read fails with the reason, and the rest is listed', async () => {
  const path = join(folder, 'batch.db');
  const { url, close } = await runOn(path);
  const put = async () => {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new File(['{}'], 'lines.jsonl'));
    return ((await (await fetch(`${url}/v1/files`, { method: 'POST', body: form })).json()) as Loose).id;
  };
  const [sound, spoilt] = [await put(), await put()];
  await close();
  // Damages the file after it was checked and before the work on it.
  const spoil = `update documents set facts = '{' where id = '${spoilt}'`;
  change(path, `create trigger spoil after insert on documents begin ${spoil}; end`);

  const { url: again } = await runOn(path);
  const wanted = { input_file_id: spoilt, endpoint: '/v1/responses', completion_window: '24h' };
  expect((await post(`${again}/v1/batches`, wanted)).status).toBe(200);
  await until(async () => (await get(`${again}/v1/batches`)).data[0].status === 'failed');
  const [batch] = (await get(`${again}/v1/batches`)).data;
  expect(batch.errors.data).toEqual([
    expect.objectContaining({ code: 'file_damaged', message: expect.stringContaining(`id ${spoilt}: column facts`) }),
  ]);
  expect((await get(`${again}/v1/files`)).data.map(({ id }: Loose) => id)).toEqual([sound]);
  expect((await get(`${again}/v1/files/${spoilt}`)).status).toBe(500);
});

test('a log that lost its end is gone, not done', async () => {
  const path = join(folder, 'swept.db');
  const before = await runOn(path);
  const id = await create(before.url);
  await until(async () => (await get(`${before.url}/v1/searches/${id}`)).state === 'done');
  await before.journal.flush();
  const endOf = async (url: string) => {
    let last = '';
    for await (const { data = '' } of serverEvents(await fetch(`${url}/v1/searches/${id}/events`))) last = data;
    return JSON.parse(last);
  };
  expect(await endOf(before.url)).toEqual({ state: 'done' });
  await before.close();
  change(path, `delete from events where search = '${id}' and sequence > 2`);
  const { url } = await runOn(path);
  expect(await endOf(url)).toEqual({ state: 'gone' });
});
