// Keys as their operator sees them: what they used, what they may use, and other keys while the server runs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newKey } from '../../packages/gateway/src/http/keys.ts';
import type { Loose } from '../support/loose.ts';
import { type RunningOptions, runGateway } from '../support/running-gateway.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const chat = { model: 'm', messages: [{ role: 'user', content: 'make 24 from 4 7 8 8' }] };

function call(url: string, key: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(
    `${url}${path}`,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  );
}

async function withKeys(quota: object | undefined, options: RunningOptions = {}) {
  const [ann, bob, root] = [newKey(), newKey(), newKey()];
  const keys = [
    { name: 'ann', hash: ann.hash, ...(quota === undefined ? {} : { quota }) },
    { name: 'bob', hash: bob.hash },
    { name: 'root', hash: root.hash, admin: true },
  ];
  const running = await runGateway({ ...options, config: { ...options.config, keys } });
  const usage = async (key: string) => ((await (await call(running.url, key, '/v1/usage')).json()) as Loose).data;
  return { ...running, keys, ann: ann.key, bob: bob.key, root: root.key, usage };
}

describe('usage', () => {
  test('is counted by key, and a key sees its own', async () => {
    const { url, ann, bob, root, usage } = await withKeys(undefined);
    const answer = (await (await call(url, ann, '/v1/chat/completions', chat)).json()) as Loose;
    expect((await call(url, bob, '/v1/chat/completions', { ...chat, n: 99 })).status).toBe(400);
    const used = { requests: 1, refused: 0, completion_tokens: answer.usage.completion_tokens, quota: null };
    expect(await usage(ann)).toEqual([expect.objectContaining({ key: 'ann', ...used })]);
    expect(await usage(bob)).toEqual([expect.objectContaining({ key: 'bob', requests: 0, completion_tokens: 0 })]);
    expect((await usage(root)).map(({ key }: Loose) => key)).toEqual(['ann', 'bob', 'root']);
  });

  test('is in the metrics only where it is asked for', async () => {
    const metrics = async (config: RunningOptions['config']) => {
      const { url, ann, root } = await withKeys(undefined, { config: config ?? {} });
      await call(url, ann, '/v1/chat/completions', chat);
      const of = async (key: string) => (await call(url, key, '/metrics')).text();
      return { ann: await of(ann), root: await of(root) };
    };
    expect((await metrics({})).ann).toMatch(/^(?!.*"ann").*coppice_requests_total/s);
    const { ann, root: told } = await metrics({ telemetry: { keyLabels: true } });
    // Of all keys, so for the operator's alone.
    expect(JSON.parse(ann).error).toMatchObject({ code: 'forbidden_key', type: 'permission_error' });
    expect(told).toContain('coppice_key_requests_total{key="ann",outcome="taken"} 1');
    expect(told).toMatch(/coppice_key_tokens_total\{key="ann",class="completion"\} [1-9]/);
  });
});

describe('a quota', () => {
  test('of requests is 429 until its window is over, and no other key feels it', async () => {
    let nowMs = 1_800_000_000_000;
    const { url, ann, bob, usage } = await withKeys({ requests: 2 }, { clock: { nowMs: () => nowMs } });
    const ask = async (key: string) => call(url, key, '/v1/chat/completions', chat);
    expect([(await ask(ann)).status, (await ask(ann)).status]).toEqual([200, 200]);
    nowMs += 20_000;
    const refused = await ask(ann);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40']);
    expect(((await refused.json()) as Loose).error).toMatchObject({
      code: 'quota_exceeded',
      message: 'this key has used 2 requests of 2 in 60000 ms (keys.quota.requests)',
    });
    expect((await ask(bob)).status).toBe(200);
    expect((await usage(ann))[0].quota).toMatchObject({ requests: { used: 2, limit: 2 }, ends_ms: 1_800_000_060_000 });
    nowMs += 40_000;
    expect((await ask(ann)).status).toBe(200);
  });

  test('of tokens counts what was spent, in every API', async () => {
    const { url, ann } = await withKeys({ tokens: 5, windowMs: 86_400_000 });
    expect((await call(url, ann, '/v1/responses', { model: 'm', input: 'make 24' })).status).toBe(200);
    const message = { model: 'm', max_tokens: 9, messages: chat.messages };
    for (const [path, body] of [
      ['/v1/chat/completions', chat],
      ['/v1/responses', { model: 'm', input: 'x' }],
      ['/v1/messages', message],
      ['/v1/searches', chat],
    ] as const) {
      const refused = await call(url, ann, path, body);
      expect([path, refused.status]).toEqual([path, 429]);
    }
  });
});

describe('other keys', () => {
  test('are taken while it runs; the first and the last need a restart', async () => {
    const { gateway, url, ann, bob, keys } = await withKeys(undefined);
    const next = newKey();
    const config = keys.slice(1).map((key) => ({ share: 1, priority: 0, queue: 10, admin: false, ...key }));
    gateway.useKeys([...config, { ...config[0]!, name: 'new', hash: next.hash }]);
    expect((await call(url, ann, '/v1/models')).status).toBe(401);
    expect((await call(url, bob, '/v1/models')).status).toBe(200);
    expect((await call(url, next.key, '/v1/models')).status).toBe(200);
    expect(() => gateway.useKeys([])).toThrow(/needs a restart/);
  });

  test('end what a key that is gone still reads and waits for; what it has in the background stays', async () => {
    const { gateway, url, ann, bob, keys, engine, logged } = await withKeys(undefined, { scripted: { held: true } });
    const config = keys.map((key) => ({ share: 1, priority: 0, queue: 10, admin: false, ...key }));
    const ask = (key: string, body: object) => call(url, key, '/v1/chat/completions', { ...chat, ...body });
    const { id } = (await (await call(url, ann, '/v1/searches', { ...chat, background: true })).json()) as Loose;
    const streams = [
      await ask(ann, { stream: true }),
      await call(url, ann, `/v1/searches/${id}/events`),
      await call(url, ann, '/v1/overview/events'),
      await call(url, ann, '/v1/responses', { model: 'm', input: 'make 24', stream: true }),
    ];
    const waited = ask(ann, {});
    const [kept, read] = [ask(bob, {}), await call(url, bob, '/v1/overview/events')];
    await until(() => [...gateway.searches.live].length === 5 && engine.open > 0);
    // A key with another hash is another key.
    gateway.useKeys([{ ...config[0]!, hash: newKey().hash }, ...config.slice(1)]);
    const ends = await Promise.all(streams.map((stream) => stream.text().catch(() => 'cut off')));
    expect(ends[0]).toContain('the API key was removed');
    expect(ends.slice(1, 3)).toEqual(['cut off', 'cut off']);
    expect(ends[3]).toMatch(/removed|cancelled/);
    expect((await waited).status).toBe(401);
    await until(() => [...gateway.searches.live].length === 2);
    expect(gateway.searches.find(id)?.ended).toBeUndefined();
    expect(logged.map((line) => JSON.parse(line) as Loose).filter(({ event }) => event === 'key-removed')).toEqual([
      expect.objectContaining({ key: 'ann', cancelled: 3, closed: 2 }),
    ]);
    engine.release();
    expect((await kept).status).toBe(200);
    await read.body?.cancel();
  });

  test('come from the file on SIGHUP, and a broken file changes nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-keys-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'coppice.json');
    const [first, second] = [newKey(), newKey()];
    const write = (hash: string) => writeFileSync(path, JSON.stringify({ keys: [{ name: 'k', hash }] }));
    write(first.hash);
    const served = await ServedProcess.start(['--sim', '--journal', ':memory:', '--config', path]);
    onTestFinished(() => served.kill());
    const status = async (key: string) => (await call(served.url, key, '/v1/models')).status;
    const hangUp = async (isTaken: () => Promise<boolean>) => {
      process.kill(served.pid!, 'SIGHUP');
      await until(isTaken);
    };
    expect([await status(first.key), await status(second.key)]).toEqual([200, 401]);
    write(second.hash);
    await hangUp(async () => (await status(second.key)) === 200);
    expect(await status(first.key)).toBe(401);
    writeFileSync(path, '{ "keys": [');
    await hangUp(async () => served.errors.includes('"event":"keys"'));
    expect(await status(second.key)).toBe(200);
  });
});
