// kill -9 in the middle of a batch of a thousand requests, twice: every line is answered once in the end, and nothing that was
// answered before is searched again.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, expect, test } from 'vitest';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { ServedProcess } from '../support/served-process.ts';

const requests = 1000;
const folder = mkdtempSync(join(tmpdir(), 'coppice-batches-'));
const path = join(folder, 'journal.db');
const running: ServedProcess[] = [];
afterAll(async () => {
  for (const each of running) await each.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function start() {
  const served = await ServedProcess.start(['--sim', '--journal', path, '--set', 'models.0.engine.speed=100']);
  running.push(served);
  return { served, openai: new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'unused', maxRetries: 0 }) };
}

async function until(openai: OpenAI, id: string, least: number) {
  for (;;) {
    const batch = await openai.batches.retrieve(id);
    if (batch.status === 'completed' || (batch.request_counts?.completed ?? 0) >= least) return batch;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function line(at: number): string {
  const messages = [{ role: 'user', content: `question ${at}` }];
  const body = { model: 'simulated', messages, seed: at, coppice: { rollouts: 2 } };
  return JSON.stringify({ custom_id: `line ${at}`, method: 'POST', url: '/v1/chat/completions', body });
}

test('a batch of a thousand survives two crashes, line by line', async () => {
  const first = await start();
  const text = Array.from({ length: requests }, (_, at) => line(at)).join('\n');
  const file = await toFile(Buffer.from(text), 'thousand.jsonl');
  const { id: input } = await first.openai.files.create({ purpose: 'batch', file });
  const { id } = await first.openai.batches.create({
    input_file_id: input,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  expect((await until(first.openai, id, requests / 4)).status).toBe('in_progress');
  await first.served.kill();
  const second = await start();
  expect((await until(second.openai, id, requests / 2)).status).toBe('in_progress');
  await second.served.kill();
  const third = await start();
  const batch = await until(third.openai, id, Number.POSITIVE_INFINITY);
  expect(batch.request_counts).toEqual({ total: requests, completed: requests, failed: 0 });
  const results = (await (await third.openai.files.content(batch.output_file_id!)).text()).trimEnd().split('\n');
  const names = results.map((each) => JSON.parse(each).custom_id);
  expect(names).toEqual(Array.from({ length: requests }, (_, at) => `line ${at}`));
  expect(await third.served.stop()).toBe(0);
  const journal = new SqliteJournal({ path });
  const searches = await journal.list({ limit: 2 * requests });
  expect(searches).toHaveLength(requests);
  expect(new Set(searches.map(({ state }) => state))).toEqual(new Set(['done']));
  await journal.close();
});
