// kill -9 in the middle of 100 background searches, twice: all finish after the restart, none runs twice, and every
// result is what its log says.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-crash-'));
const running: ServedProcess[] = [];
afterAll(async () => {
  for (const each of running) await each.kill();
  rmSync(folder, { recursive: true, force: true });
});

const searches = 100;
const args = [
  '--sim',
  '--journal',
  join(folder, 'journal.db'),
  '--set',
  'models.0.engine.speed=3',
  '--set',
  'models.0.budget=24',
];

async function start(): Promise<ServedProcess> {
  const served = await ServedProcess.start(args);
  running.push(served);
  return served;
}

async function get(url: string): Promise<Loose> {
  return (await fetch(url)).json();
}

function create(url: string, at: number): Promise<Loose> {
  const body = {
    model: 'simulated',
    background: true,
    seed: at,
    messages: [{ role: 'user', content: `question ${at}` }],
  };
  const headers = { 'content-type': 'application/json', 'idempotency-key': `q${at}` };
  return fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) =>
    answer.json(),
  );
}

async function doneCount(url: string): Promise<number> {
  const { data } = await get(`${url}/v1/searches?limit=500&state=done`);
  return data.length;
}

async function untilDone(url: string, count: number): Promise<void> {
  await until(async () => (await doneCount(url)) >= count);
}

async function logOf(url: string, id: string): Promise<Loose[]> {
  const text = await (await fetch(`${url}/v1/searches/${id}/events`)).text();
  return [...text.matchAll(/^event: entry\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
}

test('100 background searches survive two crashes', async () => {
  const first = await start();
  const accepted = await Promise.all(Array.from({ length: searches }, (_, at) => create(first.url, at)));
  expect(new Set(accepted.map(({ id }) => id)).size).toBe(searches);
  await untilDone(first.url, 15);
  await first.kill();

  const second = await start();
  await untilDone(second.url, 40);
  await second.kill();

  const third = await start();
  // Asked again under the same keys, nothing new begins.
  const again = await Promise.all(Array.from({ length: searches }, (_, at) => create(third.url, at)));
  expect(again.map(({ id }) => id)).toEqual(accepted.map(({ id }) => id));
  await untilDone(third.url, searches);

  const listed = (await get(`${third.url}/v1/searches?limit=500`)).data as Loose[];
  expect(listed).toHaveLength(searches);
  expect(Math.max(...listed.map(({ epoch }) => epoch))).toBeGreaterThan(1);
  for (const { id } of accepted) {
    const log = await logOf(third.url, id);
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, at) => at));
    const exits = log.filter(({ event }) => event.type === 'exited');
    expect(exits).toHaveLength(1);
    const keys = log
      .filter(({ event }) => event.type === 'grown' || event.type === 'merged')
      .map(({ event }) => `${event.parent}/${event.index}`);
    expect(new Set(keys).size).toBe(keys.length);
    const { result, exit, state, summary } = await get(`${third.url}/v1/searches/${id}`);
    const [{ event }] = exits;
    expect(state).toBe('done');
    expect(exit).toEqual(event.exit);
    expect(result.score).toBe(event.answer?.score ?? null);
    if (result.complete) expect((result.reasoning_content ?? '') + result.content).toBe(event.answer.text);
    expect(summary.nodes).toBe(log.filter((each) => each.event.type === 'grown').length + 1);
    const tokens = log.reduce(
      (sum, each) =>
        sum +
        (each.event.type === 'grown' ? each.event.step.tokens : each.event.type === 'merged' ? each.event.tokens : 0),
      0,
    );
    expect(result.coppice.tokens.committed).toBe(tokens);
  }
  const resumed = Number(
    /coppice_searches_resumed_total (\d+)/.exec(await (await fetch(`${third.url}/metrics`)).text())?.[1],
  );
  expect(resumed).toBeGreaterThan(0);
  expect(await third.stop()).toBe(0);
  console.log(
    `resumed ${resumed} of ${searches} in the last start; epochs up to ${Math.max(...listed.map(({ epoch }) => epoch))}`,
  );
});
