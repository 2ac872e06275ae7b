import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Loose } from '../../../tests/support/loose.ts';
import { post, question, runGateway } from '../../../tests/support/running-gateway.ts';
import { turn, until } from '../../../tests/support/until.ts';
import { newKey } from './http/keys.ts';
import { createLog } from './observe/log.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sends headers that fetch would refuse to send. */
function raw(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<{ status: number; headers: Loose; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', reject);
    request.end();
  });
}

describe('keys', () => {
  test('a known key is needed for the API and the metrics, not for health and page', async () => {
    const { key, hash } = newKey();
    const { url } = await runGateway({ config: { keys: [{ name: 'ann', hash }] } });
    for (const path of ['/v1/models', '/v1/searches', '/v1/overview', '/metrics']) {
      const refused = await fetch(`${url}${path}`);
      expect(refused.status).toBe(401);
      expect(((await refused.json()) as Loose).error).toMatchObject({
        type: 'authentication_error',
        code: 'invalid_api_key',
      });
      expect((await fetch(`${url}${path}`, { headers: { authorization: 'Bearer cpk_wrong' } })).status).toBe(401);
      expect((await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
      expect((await fetch(`${url}${path}?key=${key}`)).status).toBe(401);
    }
    for (const path of ['/health', '/ready', '/']) expect((await fetch(`${url}${path}`)).status).toBe(200);
  });

  test('a key sees its own searches only, an admin key all', async () => {
    const [ann, bob, root] = [newKey(), newKey(), newKey()];
    const keys = [
      { name: 'ann', hash: ann.hash },
      { name: 'bob', hash: bob.hash },
      { name: 'root', hash: root.hash, admin: true },
    ];
    const { url } = await runGateway({ config: { keys } });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const created = (await (
      await post(`${url}/v1/searches`, { ...question, background: true }, as(ann.key))
    ).json()) as Loose;
    const path = `${url}/v1/searches/${created.id}`;
    expect((await fetch(path, { headers: as(bob.key) })).status).toBe(404);
    expect((await fetch(`${path}/events`, { headers: as(bob.key) })).status).toBe(404);
    expect((await fetch(`${path}/cancel`, { method: 'POST', headers: as(bob.key) })).status).toBe(404);
    expect((await fetch(path, { headers: as(ann.key) })).status).toBe(200);
    expect((await fetch(path, { headers: as(root.key) })).status).toBe(200);
    const seen = async (key: string) =>
      ((await (await fetch(`${url}/v1/searches`, { headers: as(key) })).json()) as Loose).data.length;
    expect([await seen(ann.key), await seen(bob.key), await seen(root.key)]).toEqual([1, 0, 1]);
  });

  test('the overview lists to a key its own running searches, to an admin key all', async () => {
    const [ann, bob, root] = [newKey(), newKey(), newKey()];
    const keys = [
      { name: 'ann', hash: ann.hash },
      { name: 'bob', hash: bob.hash },
      { name: 'root', hash: root.hash, admin: true },
    ];
    const { url, engine } = await runGateway({ scripted: { held: true }, config: { keys } });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const ask = (key: string, title: string) =>
      post(`${url}/v1/searches`, { ...question, title, background: true }, as(key));
    await ask(ann.key, 'of ann');
    await ask(bob.key, 'of bob');
    await until(() => engine.open >= 2);
    const seen = async (key: string) => {
      const { searches } = (await (await fetch(`${url}/v1/overview`, { headers: as(key) })).json()) as Loose;
      expect(searches.running).toBe(2);
      return searches.listed.map((each: Loose) => each.title);
    };
    expect(await seen(ann.key)).toEqual(['of ann']);
    expect(await seen(bob.key)).toEqual(['of bob']);
    expect(await seen(root.key)).toEqual(['of ann', 'of bob']);
  });

  test('a key may not ask for more priority than it has', async () => {
    const { key, hash } = newKey();
    const { url } = await runGateway({ config: { keys: [{ name: 'ann', hash, priority: 2 }] } });
    const ask = (priority: number) =>
      post(`${url}/v1/chat/completions`, { ...question, coppice: { priority } }, { authorization: `Bearer ${key}` });
    expect((await ask(2)).status).toBe(200);
    expect((await ask(3)).status).toBe(400);
  });

  test('neither key nor text reaches the log', async () => {
    const { key, hash } = newKey();
    const { url, logged } = await runGateway({
      config: { keys: [{ name: 'ann', hash }] },
      scripted: { script: () => 'fault' },
    });
    await post(
      `${url}/v1/chat/completions?x=secret-query`,
      { ...question, user: 'secret-user', messages: [{ role: 'user', content: 'secret-text' }] },
      { authorization: `Bearer ${key}` },
    );
    await fetch(`${url}/secret-path`);
    await post(`${url}/v1/chat/completions`, '{"secret-json', { authorization: 'Bearer secret-guess' });
    await turn();
    const log = logged.join('');
    expect(log).toContain('"route":"/v1/chat/completions"');
    expect(log).not.toContain('secret');
    expect(log).not.toContain(key);
  });
});

describe('the guard', () => {
  test('a query may contain a second question mark', async () => {
    const { url } = await runGateway();
    const { status, body } = await raw(url, '/v1/searches?before=a?b&limit=0', {});
    expect([status, body]).toEqual([400, expect.stringContaining('limit')]);
  });

  test('without keys a foreign Host is turned away (DNS rebinding)', async () => {
    const { url } = await runGateway();
    expect(await raw(url, '/v1/models', { host: 'evil.example' })).toMatchObject({ status: 403 });
    expect(await raw(url, '/v1/models', { host: '127.0.0.1.evil.example' })).toMatchObject({ status: 403 });
    for (const host of ['localhost', '127.0.0.1:8181', '[::1]:80'])
      expect((await raw(url, '/v1/models', { host })).status).toBe(200);
  });

  test('a foreign page is turned away, its own is not, a listed one may call', async () => {
    const { url } = await runGateway({ config: { server: { origins: ['https://app.example'] } } });
    const { host } = new URL(url);
    expect((await raw(url, '/v1/models', { host, origin: 'https://evil.example' })).status).toBe(403);
    expect((await raw(url, '/v1/models', { host, origin: 'null' })).status).toBe(403);
    expect((await raw(url, '/v1/models', { host, origin: `http://${host}` })).status).toBe(200);
    const listed = await raw(url, '/v1/chat/completions', { host, origin: 'https://app.example' }, 'OPTIONS');
    expect(listed).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': 'https://app.example' } });
  });

  test('a body must be JSON and say so, and be within the limit', async () => {
    const { url } = await runGateway({ limits: { bodyBytes: 2048 } });
    const path = `${url}/v1/chat/completions`;
    const code = async (response: Promise<Response>) => ((await (await response).json()) as Loose).error.code;
    expect(await code(post(path, question, { 'content-type': 'text/plain' }))).toBe('unsupported_media_type');
    expect(await code(post(path, question, { 'content-encoding': 'gzip' }))).toBe('unsupported_media_type');
    expect(await code(post(path, '{'))).toBe('invalid_json');
    expect(await code(post(path, '[]'))).toBe('invalid_value');
    expect(await code(post(path, JSON.stringify({ x: 'y'.repeat(5000) })))).toBe('body_too_large');
    expect(await code(fetch(path, { method: 'PUT' }))).toBe('method_not_allowed');
    expect(await code(fetch(`${url}/v1/nothing`))).toBe('not_found');
    expect((await fetch(`${url}/v1/models`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${url}/v1/overview/events`, { method: 'HEAD' })).status).toBe(405);
  });

  test('an unknown length over the limit is cut off too', async () => {
    const { url } = await runGateway({ limits: { bodyBytes: 2048 } });
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 10; at += 1) controller.enqueue(new TextEncoder().encode(' '.repeat(1000)));
        controller.close();
      },
    });
    const response = await fetch(`${url}/v1/searches`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  test('input that is not HTTP gets an error in the same shape', async () => {
    const { url } = await runGateway();
    const { hostname, port } = new URL(url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

describe('the page', () => {
  test('is served with a strict policy, and no path leaves its folder', async () => {
    mkdirSync(join(folder, 'dist', 'assets'), { recursive: true });
    writeFileSync(join(folder, 'dist', 'index.html'), '<p>page</p>');
    writeFileSync(join(folder, 'dist', 'assets', 'a-123.js'), 'void 0;');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    const { url } = await runGateway({ page: join(folder, 'dist') });
    const index = await fetch(`${url}/`);
    expect(await index.text()).toBe('<p>page</p>');
    expect(index.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const below = async (path: string) => {
      const { status, headers } = await fetch(`${url}${path}`, { redirect: 'manual' });
      return [status, headers.get('location')];
    };
    // The page names its files relative to itself, so it must be opened at its own path.
    expect(await below('/searches/srch_0a')).toEqual([302, '../#/search/srch_0a']);
    expect(await below('/searches/srch_0a/')).toEqual([302, '../../#/search/srch_0a']);
    expect(await below('/a/b/c')).toEqual([302, '../../']);
    expect(await below('//elsewhere.example/x')).toEqual([302, '../../']);
    expect(await (await fetch(`${url}/searches/x`)).text()).toBe('<p>page</p>');
    expect(await (await fetch(`${url}/searches`)).text()).toBe('<p>page</p>');
    const script = await fetch(`${url}/assets/a-123.js`);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(script.headers.get('cache-control')).toMatch(/immutable/);
    for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/assets/../../secret.txt', '/secret.txt']) {
      const answer = await raw(url, path, { host: new URL(url).host });
      expect(answer.status).toBe(404);
      expect(answer.body).not.toContain('secret');
    }
  });
});

test('a log line cannot be forged and drives no terminal', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'text', write: (line) => lines.push(line) });
  log.info('x', { name: 'a\nforged level=error \u001b[31m\u009b31m\u202e' });
  log.debug('hidden');
  expect(lines).toHaveLength(1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the absence of controls is the point
  expect(lines[0]?.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
});
