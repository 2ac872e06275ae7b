// One document for all APIs: every path that the server answers stands in it, and the bodies in it are those it reads.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openApi } from '../../packages/gateway/src/openapi/openapi.ts';
import { rows } from '../../packages/gateway/src/routes.ts';
import type { Loose } from '../support/loose.ts';
import { ask, post, runGateway } from '../support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../support/scripted-engine.ts';

async function document(url: string): Promise<Loose> {
  return (await fetch(`${url}/openapi.json`)).json();
}

test('names every endpoint, and every reference in it leads somewhere', async () => {
  const { url } = await runGateway();
  const { paths, components, openapi } = await document(url);
  expect(openapi).toBe('3.1.0');
  for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1/searches', '/v1/embeddings'])
    expect(Object.keys(paths[path])).toContain('post');
  expect(Object.keys(paths['/v1/responses/{id}'])).toEqual(['get', 'delete']);
  const references = [...JSON.stringify(paths).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name!,
  );
  expect(new Set(references)).toEqual(new Set(Object.keys(components.schemas)));
});

test('every route of the gateway is in the document, and none without a summary', async () => {
  const { url } = await runGateway();
  const { paths } = await document(url);
  const served = Object.entries<Loose>(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.toSorted()).toEqual(Object.keys(rows).toSorted());
  expect(() => openApi({ 'GET /v1/forgotten': { answer: z.string() } })).toThrow('GET /v1/forgotten has no summary');
});

test('every operation has a summary and a group, and the recorded examples are what the server reads and writes', async () => {
  const { url } = await runGateway();
  const { paths, tags, components } = await document(url);
  const groups = tags.map(({ name }: Loose) => name);
  const recorded: string[] = [];
  for (const [path, operations] of Object.entries<Loose>(paths)) {
    for (const [method, { summary, tags: own, requestBody, responses }] of Object.entries<Loose>(operations)) {
      expect([path, summary.length > 10, own.length]).toEqual([path, true, 1]);
      expect(groups).toContain(own[0]);
      const told = responses['2XX'].content['application/json'];
      if (told?.example === undefined) continue;
      recorded.push(`${method} ${path}`);
      const { error } = z.fromJSONSchema(told.schema).safeParse(told.example);
      expect([path, error?.issues]).toEqual([path, undefined]);
      const asked = requestBody?.content['application/json'];
      if (asked?.example === undefined) continue;
      const schema = components.schemas[asked.schema.$ref.split('/').at(-1)];
      expect([path, z.fromJSONSchema(schema).safeParse(asked.example).error?.issues]).toEqual([path, undefined]);
    }
  }
  expect(recorded.length).toBeGreaterThan(14);
});

test('the document is read without a key, and nothing else of the API', async () => {
  const keys = [{ name: 'ann', hash: `sha256:${'0'.repeat(64)}` }];
  const { url } = await runGateway({ config: { keys } });
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  expect((await fetch(`${url}/v1/models`)).status).toBe(401);
});

test('a field is in the document where the server knows it, and only there', async () => {
  const { url } = await runGateway();
  const { components } = await document(url);
  const { properties, additionalProperties, required } = components.schemas.chat_completions;
  expect([Object.hasOwn(properties, 'temperature'), Object.hasOwn(properties, 'nonsense')]).toEqual([true, false]);
  expect([additionalProperties, required]).toEqual([undefined, ['model', 'messages']]);
  expect(properties.coppice.anyOf[0].properties.rollouts).toMatchObject({ minimum: 1, maximum: 100_000 });
});

test('every answer is as the document says, with no field more', async () => {
  const { url } = await runGateway({ scripted: { pieces: true } });
  const { paths } = await document(url);
  const left = new Set<string>();
  for (const [path, operations] of Object.entries<Loose>(paths))
    for (const method of Object.keys(operations))
      if (operations[method].responses['2XX'].content['application/json']?.schema.properties)
        left.add(`${method.toUpperCase()} ${path}`);
  /** `name` is as it stands in the document; `id` takes the place of what is in braces. */
  const call = async (name: string, body?: object | FormData, id = '', query = ''): Promise<Loose> => {
    const [method, path] = name.split(' ') as [string, string];
    const json = body !== undefined && !(body instanceof FormData);
    const answer = await fetch(`${url}${path.replace(/\{\w+\}/, id)}${query}`, {
      method,
      ...(json ? { headers: { 'content-type': 'application/json' } } : {}),
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : body }),
    });
    const told = (await answer.json()) as Loose;
    expect([name, answer.status < 300, told.error ?? null]).toEqual([name, true, null]);
    const { schema } = paths[path][method.toLowerCase()].responses['2XX'].content['application/json'];
    const { error } = z.fromJSONSchema(schema).safeParse(told);
    expect([name, error?.issues]).toEqual([name, undefined]);
    left.delete(name);
    return told;
  };
  const messages = [{ role: 'user', content: 'make 24 from 4 7 8 8' }];
  const chat = { model: 'm', messages };
  await call('POST /v1/models/{name}/weights', { version: 'step-1' }, 'm');
  await call('POST /v1/chat/completions', chat);
  const group = { n: 2, return_token_ids: true, coppice: { program: 'scored-tree-samples' } };
  await call('POST /v1/chat/completions', { ...chat, ...group });
  await call('POST /v1/chat/completions', { ...chat, n: 3, logprobs: true });
  await call('POST /v1/chat/completions', { ...chat, reasoning_effort: 'none' });
  await call('POST /v1/messages', { ...chat, max_tokens: 99, thinking: { type: 'adaptive' } });
  await call('POST /v1/messages/count_tokens', chat);
  const made = await call('POST /v1/responses', {
    model: 'm',
    input: 'make 24',
    metadata: { a: 'b' },
    include: ['message.output_text.logprobs'],
  });
  await call('GET /v1/responses/{id}', undefined, made.id);
  const background = await call('POST /v1/responses', { model: 'm', input: 'make 24', background: true });
  await call('POST /v1/responses/{id}/cancel', undefined, background.id);
  await call('DELETE /v1/responses/{id}', undefined, made.id);
  const form = new FormData();
  form.set('purpose', 'batch');
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: chat };
  form.set('file', new Blob([JSON.stringify(line)]), 'lines.jsonl');
  const file = await call('POST /v1/files', form);
  await call('GET /v1/files', undefined, '', '?limit=1&purpose=batch&order=desc');
  await call('GET /v1/files/{id}', undefined, file.id);
  const asked = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const batch = await call('POST /v1/batches', asked);
  await call('GET /v1/batches', undefined, '', '?limit=1');
  await call('GET /v1/batches/{id}', undefined, batch.id);
  await call('POST /v1/batches/{id}/cancel', undefined, batch.id);
  await call('DELETE /v1/files/{id}', undefined, file.id);
  const search = await call('POST /v1/searches', chat);
  const waiting = await call('POST /v1/searches', { ...chat, background: true });
  await call('GET /v1/searches', undefined, '', '?state=done,running,queued,cancelled&limit=5');
  await call('GET /v1/searches/{id}', undefined, search.id);
  await call('DELETE /v1/searches/{id}', undefined, waiting.id);
  await call('POST /v1/searches/{id}/cancel', undefined, search.id);
  await call('GET /v1/models');
  await call('GET /v1/models/{name}', undefined, 'm');
  await call('GET /v1/examples');
  await call('GET /v1/overview');
  await call('GET /v1/usage');
  await call('GET /v1/history', undefined, '', '?range=15m');
  await call('GET /health');
  await call('GET /ready');
  expect([...left]).toEqual([]);
});

test('answers by search say in a header what to think of them, and so does the document', async () => {
  const { url } = await runGateway();
  const { paths } = await document(url);
  for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages']) {
    const { headers } = paths[path].post.responses['2XX'];
    expect(headers['x-coppice-verdict'].schema.enum).toContain('likely');
  }
});

test('queries are read by the schemas that stand in the document, and refused by name', async () => {
  const { url } = await runGateway();
  const { paths } = await document(url);
  const named = paths['/v1/searches'].get.parameters;
  expect(named.map(({ name, in: where }: Loose) => [name, where])).toEqual([
    ['state', 'query'],
    ['limit', 'query'],
    ['before', 'query'],
    ['session', 'query'],
  ]);
  for (const [query, param] of [
    ['searches?limit=0', 'limit'],
    ['searches?limit=x', 'limit'],
    ['searches?state=done,gone', 'state'],
    ['files?order=asc', 'order'],
    ['batches?limit=1e9', 'limit'],
  ]) {
    const answer = await fetch(`${url}/v1/${query}`);
    expect([query, answer.status, ((await answer.json()) as Loose).error.param]).toEqual([query, 400, param]);
  }
});

test('a foreign name is refused unless that is switched on: then the first model answers, and the reply names it', async () => {
  const strict = await runGateway();
  expect(await ask(strict.url, { model: 'gpt-9' })).toMatchObject({ status: 404, error: { code: 'model_not_found' } });
  const more = [{ model: { name: 'other' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() }];
  const { url } = await runGateway({ config: { server: { foreignNames: 'answer' } }, more });
  expect(await ask(url, { model: 'gpt-9' })).toMatchObject({ status: 200, model: 'm' });
  expect(await ask(url, { model: 'other' })).toMatchObject({ status: 200, model: 'other' });
});

test('embeddings and completions are refused by name where the engine has none', async () => {
  const { url } = await runGateway();
  for (const path of ['embeddings', 'completions']) {
    const answer = await post(`${url}/v1/${path}`, { model: 'm', input: 'x' });
    expect([answer.status, ((await answer.json()) as Loose).error.param]).toEqual([400, 'model']);
  }
});

/** A server behind the gateway that says what it was asked. */
async function echo(): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ path: request.url, body: JSON.parse(body), count: 42 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test('where the engine has endpoints of its own, what cannot be searched goes there', async () => {
  const upstream = { urls: [await echo()], model: 'real', headers: {} };
  const { url } = await runGateway({ upstream, config: { server: { foreignNames: 'answer' } } });
  const pass = async (path: string, body: object): Promise<Loose> => {
    const answer = await post(`${url}/v1/${path}`, { model: 'anything', ...body });
    expect(answer.headers.get('x-coppice')).toBe('passed-through');
    return answer.json();
  };
  expect(await pass('embeddings', { input: 'x' })).toMatchObject({
    path: '/v1/embeddings',
    body: { model: 'real', input: 'x' },
  });
  expect((await pass('completions', { prompt: 'x' })).path).toBe('/v1/completions');
  const tools = [{ name: 'f', input_schema: {} }];
  const messages = [{ role: 'user', content: 'x' }];
  expect((await pass('messages', { max_tokens: 9, messages, tools })).path).toBe('/v1/messages');
  expect((await pass('responses', { input: 'x', tools })).path).toBe('/v1/responses');
  const picture = [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }];
  expect((await pass('responses', { input: picture })).path).toBe('/v1/responses');
  const counted = await post(`${url}/v1/messages/count_tokens`, { model: 'm', messages });
  expect(await counted.json()).toEqual({ input_tokens: 42, coppice: { estimate: false } });
});
