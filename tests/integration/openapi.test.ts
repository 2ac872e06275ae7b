// One document for all APIs: every path that the server answers stands in it, and the bodies in it are those it reads.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { ask, post, runGateway } from '../support/running-gateway.ts';

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

test('a field is in the document where the server knows it, and only there', async () => {
  const { url } = await runGateway();
  const { components } = await document(url);
  const { properties, additionalProperties, required } = components.schemas.chat_completions;
  expect([Object.hasOwn(properties, 'temperature'), Object.hasOwn(properties, 'nonsense')]).toEqual([true, false]);
  expect([additionalProperties, required]).toEqual([false, ['model', 'messages']]);
  expect(properties.coppice.anyOf[0].properties.rollouts).toMatchObject({ minimum: 1, maximum: 100_000 });
});

test('the one served model answers under any name, and the reply names it', async () => {
  const { url } = await runGateway();
  expect(await ask(url, { model: 'gpt-9' })).toMatchObject({ status: 200, model: 'm' });
  const strict = await runGateway({ config: { server: { foreignNames: 'refuse' } } });
  expect(await ask(strict.url, { model: 'gpt-9' })).toMatchObject({ status: 404, error: { code: 'model_not_found' } });
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
  const { url } = await runGateway({ upstream: { urls: [await echo()], model: 'real', headers: {} } });
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
