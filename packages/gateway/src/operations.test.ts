import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../../../tests/support/loose.ts';
import { post, question, runGateway, serverEvents } from '../../../tests/support/running-gateway.ts';
import { until } from '../../../tests/support/until.ts';

/** A server that records the bodies it gets. */
async function collector(answer: (body: Loose, headers: Loose) => { status?: number; body: string; type?: string }) {
  const bodies: Loose[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      bodies.push(JSON.parse(text));
      const { status = 200, body, type = 'application/json' } = answer(bodies.at(-1), request.headers);
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** An address at which no server listens any more. */
async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

describe('operations', () => {
  test('metrics are Prometheus text', async () => {
    const { url } = await runGateway();
    await post(`${url}/v1/chat/completions`, question);
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    for (const line of text.split('\n').filter((each) => each !== ''))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|(coppice|process|nodejs)_\w+(\{.*\})? [-+\d.eNaInf]+)$/);
    expect(text).toMatch(/coppice_searches_total\{model="m",program="mcts",policy="safe",exit="accepted"\} 1/);
    expect(text).toMatch(/coppice_deadlines_total\{model="m",attained="yes"\} 1/);
    expect(text).toMatch(/coppice_seconds_per_token_count\{model="m"\} 1/);
    expect(text).toMatch(/coppice_budget_strands\{model="m"\} 8/);
    expect(text).toMatch(/coppice_engine_healthy\{model="m"\} 1/);
    expect(text).toMatch(/coppice_tokens_total\{model="m",class="committed"\} \d+/);
    expect(text).toMatch(/coppice_search_duration_seconds_bucket\{le="\+Inf",model="m",exit="accepted"\} 1/);
    expect(text).toMatch(/coppice_requests_total\{route="\/v1\/chat\/completions",status="200"\} 1/);
  });

  test('ready follows the engine, health the process', async () => {
    const { url, engine } = await runGateway();
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    engine.healthy = false;
    expect((await fetch(`${url}/ready`)).status).toBe(503);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test('the overview shows budget, queue, running and ended searches', async () => {
    const { url, engine } = await runGateway({ scripted: { held: true }, model: { budget: 1 } });
    for (let at = 0; at < 2; at += 1) await post(`${url}/v1/searches`, { ...question, background: true });
    await until(() => engine.open > 0);
    const frame = (await (await fetch(`${url}/v1/overview`)).json()) as Loose;
    expect(frame).toMatchObject({
      budget: { total: 1, used: 1 },
      queue: { waiting: 1 },
      searches: {
        running: 1,
        listed: [
          { title: 'make 24 from 4 7 8 8', state: 'running', place: null, primary: 1, rollout_limit: 16 },
          { title: 'make 24 from 4 7 8 8', state: 'queued', place: 1, primary: 0, tokens: 0 },
        ],
      },
      models: [{ name: 'm', healthy: true, engine_healthy: true, verifier: { healthy: true, waiting: 0 } }],
      journal: { healthy: true, failures: 0 },
      ended: 0,
    });
    const abort = new AbortController();
    const stream = await fetch(`${url}/v1/overview/events`, { signal: abort.signal });
    engine.release();
    const seen: (string | undefined)[] = [];
    for await (const { event, data } of serverEvents(stream)) {
      seen.push(event);
      if (event !== 'overview') continue;
      if (JSON.parse(data ?? '').ended === 2) break;
    }
    expect(seen.filter((event) => event !== undefined).slice(0, 2)).toEqual(['history', 'overview']);
    abort.abort();
  });

  test('shutting down refuses new work, lets answers finish and leaves the journal closed', async () => {
    const { url, engine, close, gateway } = await runGateway({
      scripted: { held: true },
      config: { server: { shutdownMs: 60_000 } },
    });
    const answer = post(`${url}/v1/chat/completions`, question, { connection: 'keep-alive' });
    await until(() => engine.open > 0);
    const closing = close();
    engine.release();
    expect((await answer).status).toBe(200);
    await closing;
    expect(engine.closed).toBe(true);
    expect([...gateway.searches.live].length).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  test('a client whose search the shutdown cuts off is told so, running or waiting', async () => {
    const { url, engine, close, journal } = await runGateway({ scripted: { held: true }, model: { budget: 1 } });
    const first = post(`${url}/v1/chat/completions`, question);
    await until(() => engine.open > 0);
    const others = [{}, { stream: true }].map((body) => post(`${url}/v1/chat/completions`, { ...question, ...body }));
    const streamed = await others[1]!;
    const list = () => journal.list({ limit: 9 });
    await until(async () => (await list()).length === 3);
    await close();
    const told = { code: 'shutting_down', message: 'the server was shut down before the answer was complete' };
    for (const answer of [await first, await others[0]!]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      expect(((await answer.json()) as Loose).error).toMatchObject(told);
    }
    expect(await streamed.text()).toContain(told.message);
    const ended = (await list()).map(({ state, outcome }) => [state, (outcome as Loose).exit?.rule]);
    expect(ended.sort()).toEqual([
      ['cancelled', undefined],
      ['cancelled', undefined],
      ['cancelled', 'shutdown'],
    ]);
  });

  test('a client whose search another call cancels is told that a caller did', async () => {
    const { url, engine, gateway } = await runGateway({ scripted: { held: true } });
    const answer = post(`${url}/v1/chat/completions`, question);
    await until(() => engine.open > 0);
    const [running] = gateway.searches.live;
    await fetch(`${url}/v1/searches/${running?.id}`, { method: 'DELETE' });
    const { coppice } = (await (await answer).json()) as Loose;
    expect(coppice.exit).toMatchObject({ kind: 'cancelled', rule: 'caller' });
  });

  test('during the grace period new requests are refused with a retry time', async () => {
    const { url, engine, close } = await runGateway({
      scripted: { held: true },
      config: { server: { shutdownMs: 60_000 } },
    });
    const answer = post(`${url}/v1/chat/completions`, question);
    await until(() => engine.open > 0);
    const closing = close();
    // New connections: the listener must still be there.
    const comes = (path: string, method: string) =>
      new Promise<{ status: number; headers: Loose }>((resolve, reject) => {
        const headers = { 'content-type': 'application/json' };
        const request = httpRequest(`${url}${path}`, { method, agent: false, headers }, (response) => {
          response.resume();
          resolve({ status: response.statusCode ?? 0, headers: response.headers });
        });
        request.on('error', reject).end(method === 'POST' ? JSON.stringify(question) : undefined);
      });
    const refused = await comes('/v1/chat/completions', 'POST');
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5', connection: 'close' } });
    expect((await comes('/ready', 'GET')).status).toBe(503);
    expect((await comes('/health', 'GET')).status).toBe(200);
    engine.release();
    expect((await answer).status).toBe(200);
    await closing;
    await expect(comes('/health', 'GET')).rejects.toThrow();
  });

  test('searches longer than the grace period are cancelled down to the engine, and still answered', async () => {
    const { url, engine, close, journal } = await runGateway({ scripted: { held: true } });
    const answer = post(`${url}/v1/chat/completions`, question);
    await until(() => engine.open > 0);
    await close();
    expect((await answer).status).toBe(503);
    expect(engine.cancelled.length).toBeGreaterThan(0);
    expect((await journal.list({ limit: 1 }))[0]?.state).toBe('cancelled');
  });

  test('the line of a request has the id of its trace', async () => {
    const { url, close, logged } = await runGateway();
    const traceId = 'ab'.repeat(16);
    await post(`${url}/v1/chat/completions`, question, { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` });
    await post(`${url}/v1/chat/completions`, question, { traceparent: 'forged"' });
    await close();
    const lines = logged.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request');
    expect(lines.map(({ trace }) => trace)).toEqual([traceId, undefined]);
  });
});

describe('passing through', () => {
  test('tools, images and effort none go to the engine unchanged, but for model and coppice', async () => {
    const said = '{"id":"x","choices":[],  "odd": 1}';
    const { url: upstream, bodies } = await collector(() => ({ body: said }));
    const { url } = await runGateway({
      upstream: {
        urls: [await nowhere(), `${upstream}/v1`],
        model: 'real',
        headers: { authorization: 'Bearer up' },
      },
    });
    const ask = async (body: object) => (await post(`${url}/v1/chat/completions`, { ...question, ...body })).text();
    expect(await ask({ tools: [{ type: 'function', function: { name: 'f' } }], coppice: {}, odd_field: [1] })).toBe(
      said,
    );
    expect(bodies[0]).toEqual({
      ...question,
      model: 'real',
      tools: [{ type: 'function', function: { name: 'f' } }],
      odd_field: [1],
    });
    expect(
      await ask({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] }),
    ).toBe(said);
    expect(await ask({ reasoning_effort: 'none', n: 3 })).toBe(said);
    expect(bodies).toHaveLength(3);
    expect(JSON.parse(await ask({})).coppice.exit.kind).toBe('accepted');
    expect(bodies).toHaveLength(3);
  });

  test('errors of the engine come through with their status; one that cannot be reached is 502', async () => {
    const { url: upstream } = await collector(() => ({ status: 422, body: '{"error":{"message":"no"}}' }));
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const first = await runGateway({
      upstream: { urls: [await nowhere(), `${upstream}/v1`], model: 'real', headers: {} },
    });
    expect((await post(`${first.url}/v1/chat/completions`, { ...question, tools })).status).toBe(422);
    const second = await runGateway({ upstream: { urls: [await nowhere()], model: 'real', headers: {} } });
    expect((await post(`${second.url}/v1/chat/completions`, { ...question, tools })).status).toBe(502);
    const counted = async (url: string) =>
      /^coppice_passthrough_requests_total\{.*/m.exec(await (await fetch(`${url}/metrics`)).text());
    expect(String(await counted(first.url))).toBe('coppice_passthrough_requests_total{model="m",status="422"} 1');
    expect(String(await counted(second.url))).toBe('coppice_passthrough_requests_total{model="m",status="none"} 1');
  });

  test('takes a place in the budget, and is refused if there is none', async () => {
    const { url: upstream } = await collector(() => ({ body: '{}' }));
    const config = { admission: { queue: 0 } };
    const options = { model: { budget: 1 }, scripted: { held: true }, config };
    const { url, engine } = await runGateway({
      ...options,
      upstream: { urls: [await nowhere(), `${upstream}/v1`], model: 'real', headers: {} },
    });
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const pass = async () => (await post(`${url}/v1/chat/completions`, { ...question, tools })).status;
    expect([await pass(), await pass()]).toEqual([200, 200]);
    const search = post(`${url}/v1/chat/completions`, question);
    await until(() => engine.open > 0);
    expect(await pass()).toBe(429);
    engine.release();
    expect((await search).status).toBe(200);
    expect(await pass()).toBe(200);
  });

  test('is refused by name if it is forbidden', async () => {
    const upstream = { urls: [await nowhere()], model: 'real', headers: {} };
    const { url } = await runGateway({ upstream, model: { tools: 'forbid' } });
    const answer = (await (await post(`${url}/v1/chat/completions`, { ...question, tools: [{}] })).json()) as Loose;
    expect(answer.error).toMatchObject({ param: 'tools', code: 'unsupported_parameter' });
  });
});
