// kill -9 in the middle of the stream of a response in the background, twice: resumed after the last event that was read, no
// event is lost or doubled, and the whole read again afterwards is what was read in pieces.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { ServedProcess } from '../support/served-process.ts';

const main = fileURLToPath(new URL('../../packages/coppice/src/cli/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coppice-responses-'));
const running: ServedProcess[] = [];
afterAll(async () => {
  for (const each of running) await each.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function start(journal = ['--journal', join(folder, 'journal.db')], environment: NodeJS.ProcessEnv = {}) {
  const served = await ServedProcess.start(['--sim', ...journal, '--set', 'models.0.engine.speed=3'], environment);
  running.push(served);
  return { served, openai: new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'unused', maxRetries: 0 }) };
}

/** So many events, or all until the last word. */
async function take(stream: AsyncIterable<ResponseStreamEvent>, most: number): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length >= most) break;
  }
  return events;
}

test('a response survives two crashes, event by event', async () => {
  const first = await start();
  const coppice = { rollouts: 24, policy: 'vanilla' };
  const body = {
    model: 'simulated',
    input: 'How many days are in a leap year?',
    background: true,
    seed: 5,
    coppice,
  } as const;
  const { id } = await first.openai.responses.create(body);
  const events = await take(await first.openai.responses.retrieve(id, { stream: true }), 4);
  await first.served.kill();
  const second = await start();
  const seen = () => ({ stream: true, starting_after: events.length - 1 }) as const;
  events.push(...(await take(await second.openai.responses.retrieve(id, seen()), 2)));
  await second.served.kill();
  const third = await start();
  events.push(...(await take(await third.openai.responses.retrieve(id, seen()), Number.POSITIVE_INFINITY)));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  expect(events.at(-1)?.type).toMatch(/^response\.(completed|incomplete)$/);
  const again = await take(await third.openai.responses.retrieve(id, { stream: true }), Number.POSITIVE_INFINITY);
  expect(again).toEqual(events);
  expect(await third.served.stop()).toBe(0);
});

test.skipIf(!hasPostgres)('and the death of its node, where another one shares the journal', async () => {
  const database = startPostgres({ fsync: true });
  onTestFinished(() => database.remove());
  const environment = { DATABASE_URL: database.url };
  execFileSync(process.execPath, [main, 'migrate'], { env: { ...process.env, ...environment } });
  const shared = () => start(['--set', 'journal.kind=postgres'], environment);
  const [first, second] = [await shared(), await shared()];
  const coppice = { rollouts: 24, policy: 'vanilla' };
  const body = { model: 'simulated', input: 'How many days has a leap year?', background: true, seed: 5, coppice };
  const { id } = await first.openai.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming);
  const events = await take(await first.openai.responses.retrieve(id, { stream: true }), 4);
  await first.served.kill();
  const seen = { stream: true, starting_after: events.length - 1 } as const;
  events.push(...(await take(await second.openai.responses.retrieve(id, seen), Number.POSITIVE_INFINITY)));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  expect(events.at(-1)?.type).toMatch(/^response\.(completed|incomplete)$/);
  const again = await take(await second.openai.responses.retrieve(id, { stream: true }), Number.POSITIVE_INFINITY);
  expect(again).toEqual(events);
  expect(await second.served.stop()).toBe(0);
});
