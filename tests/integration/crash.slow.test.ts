// kill -9 in the middle of 100 background searches, twice: all finish after the restart, none runs twice, and every
// result is what its log says. And in the middle of whole answers by two models: what the journal has is neither told nor paid for again.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { drawSeed, formKey, rootKey } from '../../packages/core/src/tree/keys.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { serverEvents } from '../support/running-gateway.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-crash-'));
const running: ServedProcess[] = [];
afterAll(async () => {
  for (const each of running) await each.kill();
  rmSync(folder, { recursive: true, force: true });
});

const searches = 100;
const searchSeed = 5;
const args = [
  '--sim',
  '--journal',
  join(folder, 'journal.db'),
  '--set',
  'models.0.engine.speed=3',
  '--set',
  'models.0.budget=24',
];

async function start(given: readonly string[] = args): Promise<ServedProcess> {
  const served = await ServedProcess.start(given);
  running.push(served);
  return served;
}

async function get(url: string): Promise<Loose> {
  return (await fetch(url)).json();
}

function create(url: string, at: number, wish: object = {}): Promise<Loose> {
  const body = {
    model: 'simulated',
    background: true,
    seed: at,
    messages: [{ role: 'user', content: `question ${at}` }],
    ...wish,
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

/** In order without a gap, ended once, and no child told twice. */
function expectToldOnce(log: readonly Loose[]): void {
  const entries = [...new Set(log.map(({ sequence }) => sequence))];
  expect(entries).toEqual(entries.map((_, at) => at));
  expect(log.filter(({ event }) => event.type === 'exited')).toHaveLength(1);
  const keys = log.filter(isFold).map(({ event }) => `${event.parent}/${event.index}`);
  expect(new Set(keys).size).toBe(keys.length);
}

/** Until a log that grows says so many children. */
async function seen(url: string, children: number): Promise<void> {
  let left = children;
  for await (const { data } of serverEvents(await fetch(url))) {
    if (data?.includes('"grown"')) left -= 1;
    if (left === 0) return;
  }
}

/** Of the draws that brought these children. */
function seedsOf(log: readonly Loose[], folds: readonly Loose[]): number[] {
  const keys = new Map(log.filter(({ event }) => event.type === 'grown').map(({ event }) => [event.node, event.key]));
  return folds.map(({ event: { parent, index } }) => {
    const { event } = log.find(({ event: { type, node, indices } }) => {
      return type === 'asked' && node === parent && indices.includes(index);
    })!;
    return drawSeed(searchSeed, keys.get(parent) ?? rootKey, index, formKey(event.sampling, event.manner));
  });
}

function isFold({ event }: Loose): boolean {
  return event.type === 'grown' || event.type === 'merged';
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
    expectToldOnce(log);
    const exits = log.filter(({ event }) => event.type === 'exited');
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

test('what searches have shown of their judge is added up once, whatever process ended them', async () => {
  const own = args.with(2, join(folder, 'audited.db')).with(4, 'models.0.engine.speed=30');
  const first = await start(own);
  const wish = { coppice: { program: 'best-of-n', policy: 'vanilla', rollouts: 8 } };
  const accepted = await Promise.all(Array.from({ length: 40 }, (_, at) => create(first.url, at, wish)));
  await untilDone(first.url, 10);
  await first.kill();
  const second = await start(own);
  await untilDone(second.url, 40);
  const logs = await Promise.all(accepted.map(({ id }) => logOf(second.url, id)));
  for (const log of logs) expectToldOnce(log);
  await second.kill();
  const audited = logs.flat().filter(({ event }) => event.audit !== undefined).length;
  expect(audited).toBeGreaterThan(0);
  const { url } = await start(own);
  await until(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return metrics.includes(`coppice_judge_split_searches{model="simulated"} ${audited}\n`);
  });
});

test.each(['refine', 'panel'])(
  '%s goes on with what its journal has, and pays for nothing of it again',
  async (program) => {
    const [small, big, scorer] = await Promise.all(
      ['small', 'big', 'scorer'].map((model) => new VllmServer({ model }).listen()),
    );
    const writers = [small!, big!];
    onTestFinished(async () => void (await Promise.all([...writers, scorer!].map((server) => server.close()))));
    // No answer reaches the threshold: all rollouts of refine are written.
    scorer!.reward = (text) => 0.2 + (text.length % 7) / 20;
    const models = [
      {
        name: 'small',
        panel: { models: ['small', 'big'] },
        threshold: 1,
        budget: 4,
        engine: { kind: 'openai', urls: [small!.url] },
        verifier: { kind: 'prm', urls: [scorer!.url], format: 'qwen-prm' },
      },
      { name: 'big', budget: 4, engine: { kind: 'openai', urls: [big!.url] } },
    ];
    const own = mkdtempSync(join(folder, `${program}-`));
    const config = join(own, 'coppice.json');
    writeFileSync(config, JSON.stringify({ models }));
    const serve = () => start(['--config', config, '--journal', join(own, 'journal.db')]);
    const calls = () => writers.map((server) => server.bodies('/v1/completions').flatMap(({ seed }) => seed ?? []));
    // After so many calls the servers write no more, until the process is gone.
    const held = Promise.withResolvers<void>();
    for (const server of writers) server.pace = () => (calls().flat().length > 7 ? held.promise : Promise.resolve());

    const first = await serve();
    const body = {
      model: 'small',
      background: true,
      seed: searchSeed,
      messages: [{ role: 'user', content: 'How many?' }],
    };
    const headers = { 'content-type': 'application/json' };
    const asked = JSON.stringify({ ...body, coppice: { program, rollouts: 13 } });
    const { id } = (await (
      await fetch(`${first.url}/v1/searches`, { method: 'POST', headers, body: asked })
    ).json()) as Loose;
    await until(() => calls().flat().length > 7);
    await seen(`${first.url}/v1/searches/${id}/events`, 3);
    await first.kill();
    const before = calls();
    held.resolve();

    const second = await serve();
    await until(async () => (await get(`${second.url}/v1/searches/${id}`)).state === 'done');
    const log = await logOf(second.url, id);
    expectToldOnce(log);
    const resumed = log.findIndex(({ event }) => event.type === 'resumed');
    const [kept, later] = [log.slice(0, resumed).filter(isFold), log.slice(resumed).filter(isFold)];
    expect(resumed).toBeGreaterThan(0);
    // A draw has a seed of its own: one call for each that came after the restart, and none for what the journal has.
    const again = calls().flatMap((own, at) => own.slice(before[at]!.length));
    expect([again.length, new Set(again).size]).toEqual([later.length, later.length]);
    const paid = seedsOf(log, kept);
    expect(before.flat()).toEqual(expect.arrayContaining(paid));
    expect(again.filter((seed) => paid.includes(seed as number))).toEqual([]);
    const { result } = await get(`${second.url}/v1/searches/${id}`);
    expect(result.complete).toBe(true);
    const written = Object.values<Loose>(result.coppice.models).reduce((sum, each) => sum + each.calls, 0);
    expect(written).toBe(later.length);
    console.log(
      `${program}: ${kept.length} answers from the journal, ${before.flat().length - kept.length} on their way or unwritten, ${later.length} calls after the restart`,
    );
    await second.stop();
  },
);

test('kill -9 between two turns of a session and in the middle of one: what it was given is known, and the turn is answered once', async () => {
  const path = join(folder, 'sessions.db');
  const given = ['--sim', '--journal', path, '--set', 'models.0.engine.speed=3'];
  const session = { id: 's', token_budget: 1e6 };
  const turn = (url: string, at: number, more: object = {}) =>
    create(url, 1000 + at, { background: false, coppice: { session }, ...more });
  const turns = async (url: string): Promise<Loose[]> => (await get(`${url}/v1/searches?session=s`)).data;

  const first = await start(given);
  const { id } = await turn(first.url, 1);
  await first.kill();
  const second = await start(given);
  const middle = await turn(second.url, 2, { background: true });
  await seen(`${second.url}/v1/searches/${middle.id}/events`, 3);
  await second.kill();
  const third = await start(given);
  await until(async () => (await turns(third.url)).every(({ state }) => state === 'done'));
  const log = await logOf(third.url, middle.id);
  expectToldOnce(log);
  expect((await turns(third.url)).map((each) => each.id)).toEqual([middle.id, id]);
  const spent = (await turns(third.url)).reduce((sum, { summary }) => sum + summary.tokens, 0);
  const refused = await turn(third.url, 3, { coppice: { session: { id: 's', token_budget: spent } } });
  expect(refused.error).toMatchObject({ code: 'session_spent', message: expect.stringContaining(`spent ${spent} of`) });
  expect((await turn(third.url, 4, { coppice: { session: { id: 's', token_budget: spent + 1 } } })).state).toBe('done');
  await third.stop();
});

test('a turn of an agent that is killed in the middle is answered once, and pays for nothing again', async () => {
  const server = await new VllmServer().listen();
  onTestFinished(() => server.close());
  server.drawTurn = ({ seed }) => ({ calls: [{ name: 'step', arguments: { n: seed % 3 } }] });
  const own = mkdtempSync(join(folder, 'turn-'));
  const config = join(own, 'coppice.json');
  const engine = { kind: 'openai', urls: [server.url] };
  writeFileSync(config, JSON.stringify({ models: [{ name: 'm', tools: 'vote', engine }] }));
  const serve = () => start(['--config', config, '--journal', join(own, 'journal.db')]);
  const drawn = () => server.bodies('/v1/chat/completions').filter(({ max_tokens }) => max_tokens !== 1);
  const held = Promise.withResolvers<void>();
  server.pace = () => (drawn().length > 2 ? held.promise : Promise.resolve());

  const first = await serve();
  const tools = [{ type: 'function', function: { name: 'step' } }];
  const messages = [{ role: 'user', content: 'Take a step.' }];
  const asked = { model: 'm', background: true, seed: searchSeed, messages, tools, reasoning_effort: 'high' };
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(asked) };
  const { id } = (await (await fetch(`${first.url}/v1/searches`, request)).json()) as Loose;
  await until(() => drawn().length > 2);
  await seen(`${first.url}/v1/searches/${id}/events`, 1);
  await first.kill();
  const before = drawn().length;
  held.resolve();

  const second = await serve();
  await until(async () => (await get(`${second.url}/v1/searches/${id}`)).state === 'done');
  const log = await logOf(second.url, id);
  expectToldOnce(log);
  const resumed = log.findIndex(({ event }) => event.type === 'resumed');
  const kept = seedsOf(log, log.slice(0, resumed).filter(isFold));
  const again = drawn()
    .slice(before)
    .flatMap(({ seed, n = 1 }) => Array.from({ length: Number(n) }, (_, at) => Number(seed) + at));
  expect(kept.length).toBeGreaterThan(0);
  expect(again.filter((seed) => kept.includes(seed))).toEqual([]);
  const { result } = await get(`${second.url}/v1/searches/${id}`);
  expect(result.calls).toEqual([{ name: 'step', arguments: expect.stringMatching(/^\{"n":\d\}$/) }]);
});
