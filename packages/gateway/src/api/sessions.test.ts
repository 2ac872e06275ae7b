// Sessions over HTTP: which requests they join and which never, what a session may spend, and what is left of it after a crash.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { outlivingJournal, post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { ScriptedEngine } from '../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../tests/support/until.ts';
import { newKey } from '../http/keys.ts';

type Headers = Readonly<Record<string, string>>;

async function turn(url: string, body: object = {}, headers: Headers = {}, path = '/v1/chat/completions') {
  const answer = await post(`${url}${path}`, { ...question, ...body }, headers);
  const told = (await answer.json()) as Loose;
  return { status: answer.status, id: answer.headers.get('x-coppice-search') ?? '', told };
}

async function turnsOf(url: string, session: string, headers: Headers = {}): Promise<Loose[]> {
  const list = await fetch(`${url}/v1/searches?session=${encodeURIComponent(session)}`, { headers });
  return ((await list.json()) as Loose).data;
}

const aboutOf = async (journal: { find(id: string): Promise<unknown> }, id: string): Promise<Loose> =>
  ((await journal.find(id)) as Loose).about.session;

describe('a request is a turn of the session', () => {
  test.each([
    ['that it names', { coppice: { session: 's' } }, {}],
    ['that it names with budgets', { coppice: { session: { id: 's', token_budget: 1e6 } } }, {}],
    ['of its cache key', { prompt_cache_key: 's' }, {}],
    ['of a header of vLLM or llm-d', {}, { 'x-session-id': 's' }],
    ['of a header of SGLang', {}, { 'x-smg-routing-key': 's' }],
    ['of a header of Dynamo', { prompt_cache_key: 'other' }, { 'x-dynamo-session-id': 's' }],
  ])('%s', async (_, body, headers) => {
    const { url, journal, engine } = await runGateway();
    const first = await turn(url, body, headers);
    const second = await turn(url, body, headers);
    expect((await turnsOf(url, 's')).map(({ id, session }) => [id, session])).toEqual([
      [second.id, 's'],
      [first.id, 's'],
    ]);
    expect(await aboutOf(journal, first.id)).toMatchObject({ turns: 0, tokens: 0 });
    expect(await aboutOf(journal, second.id)).toMatchObject({ turns: 1, tokens: expect.any(Number) });
    const routes = new Set(engine.asked.map(({ session }) => session?.route));
    expect([...routes]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  test('of its previous response, which begins one if it has none', async () => {
    const { url, journal } = await runGateway();
    const ask = (more: object) =>
      turn(url, { messages: undefined, input: 'make 24 from 4 7 8 8', ...more }, {}, '/v1/responses');
    const first = await ask({});
    const second = await ask({ previous_response_id: first.told.id });
    const third = await ask({ previous_response_id: second.told.id });
    expect((await turnsOf(url, first.id)).map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
    expect(await aboutOf(journal, third.id)).toMatchObject({ turns: 2 });
  });

  test('but not by its user or by a name that is too long', async () => {
    const { url } = await runGateway();
    const { id } = await turn(url, { user: 's' }, { 'x-session-id': 'x'.repeat(513) });
    expect((await (await fetch(`${url}/v1/searches/${id}`)).json()) as Loose).toMatchObject({ session: null });
    const refused = await turn(url, { coppice: { session: '' } });
    expect(refused.told.error).toMatchObject({ code: 'invalid_value', param: 'coppice.session' });
    const unknown = await turn(url, { coppice: { session: { id: 's', tokens: 3 } } });
    expect(unknown.told.error).toMatchObject({ code: 'unknown_parameter', param: 'coppice.session.tokens' });
  });
});

test('one name from two keys is two sessions: neither sees, spends or finds anything of the other', async () => {
  const [ann, bob] = [newKey(), newKey()];
  const keys = [
    { name: 'ann', hash: ann.hash },
    { name: 'bob', hash: bob.hash },
  ];
  const { url, journal, engine } = await runGateway({ config: { keys } });
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const own = await turn(url, { coppice: { session: { id: 's', token_budget: 1 } } }, as(ann.key));
  const other = await turn(url, { coppice: { session: 's' } }, as(bob.key));
  expect([own.status, other.status]).toEqual([200, 200]);
  expect(await aboutOf(journal, other.id)).toEqual({
    since_ms: expect.any(Number),
    turns: 0,
    seconds: 0,
    tokens: 0,
    money: 0,
  });
  expect((await turnsOf(url, 's', as(bob.key))).map(({ id }) => id)).toEqual([other.id]);
  // The id of another key's search gives no session either.
  await turn(url, { coppice: { session: own.id } }, as(bob.key));
  expect(await turnsOf(url, own.id, as(bob.key))).toHaveLength(1);
  const told = new Set(engine.asked.map(({ session }) => `${session?.route} ${session?.salt}`));
  expect(told.size).toBe(3);
  expect(new Set(engine.asked.map(({ session }) => session?.salt)).size).toBe(2);
  const spent = await turn(url, { coppice: { session: 's' } }, as(ann.key));
  expect(spent.told.error).toMatchObject({
    code: 'session_spent',
    message: expect.stringContaining('of its 1 (coppice.session.token_budget)'),
  });
});

describe('a budget of a session', () => {
  test('bounds each turn by what is left, raises the price, and holds for turns that do not name it', async () => {
    const { url, journal } = await runGateway({ verifier: 'none', model: { verifier: { kind: 'none' } } });
    const auto = { program: 'auto' };
    const planOf = async (id: string): Promise<Loose> => ((await journal.find(id)) as Loose).request.plan;
    const first = await turn(url, { coppice: { ...auto, session: { id: 's', token_budget: 500 } } });
    const second = await turn(url, { coppice: auto, prompt_cache_key: 's' });
    const spent = first.told.usage.completion_tokens;
    expect(spent).toBeGreaterThan(0);
    const [before, after] = [await planOf(first.id), await planOf(second.id)];
    expect([before.tokenBudget, after.tokenBudget]).toEqual([500, 500 - spent]);
    expect(after.price / before.price).toBeCloseTo(1 / (1 - spent / 500));
    const larger = await turn(url, { coppice: { session: { id: 's', token_budget: 1e6 } } });
    expect(await aboutOf(journal, larger.id)).toMatchObject({ token_budget: 1e6, turns: 2 });
  });

  test('of money needs a price', async () => {
    const { url } = await runGateway();
    const { status, told } = await turn(url, { coppice: { session: { id: 's', money_budget: 2 } } });
    expect([status, told.error.message]).toEqual([400, expect.stringContaining('models[].price')]);
  });

  test('of money counts what every turn cost', async () => {
    const { url } = await runGateway({ model: { price: { prompt: 1e6, generated: 1e6 } } });
    const named = { coppice: { session: { id: 's', money_budget: 0.5 } } };
    const { status, told } = await turn(url, named);
    expect([status, told.coppice.money > 0.5]).toEqual([200, true]);
    expect((await turn(url, named)).status).toBe(402);
  });
});

/** Servers of one model that answer every chat; each notes the bodies it got. */
async function servers(count: number, close: boolean[] = []) {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'four' }, finish_reason: 'stop' }];
  const answer = JSON.stringify({ id: 'x', choices, usage: { prompt_tokens: 9, completion_tokens: 40 } });
  const seen: Loose[][] = [];
  const urls: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const bodies: Loose[] = [];
    seen.push(bodies);
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    if (close[at]) server.close();
  }
  return { seen, upstream: { urls, model: 'real', headers: {} } };
}

const tools = [{ type: 'function', function: { name: 'add' } }];

describe('passed-through turns', () => {
  test('count, stay with one server, and are refused once the budget is spent', async () => {
    const { seen, upstream } = await servers(3);
    const { url, journal } = await runGateway({ upstream });
    // The servers' ports say which session lives where: of so few servers each gets one of so many sessions.
    for (let session = 0; session < 36; session += 1)
      for (let at = 0; at < 3; at += 1) await turn(url, { tools, seed: session }, { 'x-session-id': `s${session}` });
    const homes = seen.map((bodies) => new Set(bodies.map(({ seed }) => seed)));
    expect(homes.map(({ size }) => size).reduce((sum, size) => sum + size)).toBe(36);
    expect(homes.every(({ size }) => size > 0)).toBe(true);
    await journal.flush();
    const named = { tools, coppice: { session: { id: 's0', token_budget: 200 } } };
    const { id } = await turn(url, named);
    await journal.flush();
    expect(await aboutOf(journal, id)).toMatchObject({ turns: 3, tokens: 120, token_budget: 200 });
    await turn(url, { tools, prompt_cache_key: 's0' });
    await journal.flush();
    expect((await turn(url, { tools, prompt_cache_key: 's0' })).status).toBe(402);
    expect(seen.flat()).toHaveLength(3 * 36 + 2);
    expect(JSON.stringify(seen)).not.toContain('coppice');
  });

  test('and searched turns add up', async () => {
    const { upstream } = await servers(1);
    const { url, journal } = await runGateway({ upstream, model: { price: { prompt: 0, generated: 1e6 } } });
    await turn(url, { tools, prompt_cache_key: 's' });
    await journal.flush();
    const { id } = await turn(url, { prompt_cache_key: 's' });
    expect(await aboutOf(journal, id)).toMatchObject({ turns: 1, tokens: 40, money: 40 });
  });
});

test('a client that leaves in the middle of a turn has paid for it, and its next turn goes on', async () => {
  const engine = new ScriptedEngine({ held: true });
  const { url, journal } = await runGateway({ engine });
  const gone = new AbortController();
  const left = post(`${url}/v1/chat/completions`, { ...question, prompt_cache_key: 's' }, {}, gone.signal);
  await until(() => engine.open > 0);
  gone.abort();
  await expect(left).rejects.toThrow();
  await until(() => engine.open === 0);
  engine.release();
  const { id } = await turn(url, { prompt_cache_key: 's' });
  expect(await aboutOf(journal, id)).toMatchObject({ turns: 1 });
  expect((await turnsOf(url, 's')).map(({ state }) => state)).toEqual(['done', 'cancelled']);
});

test('turns at one time are all counted once they have ended, however many they were', async () => {
  const engine = new ScriptedEngine({ held: true });
  const { url, journal } = await runGateway({ engine });
  const named = { coppice: { session: { id: 's', token_budget: 1e6 } } };
  const many = Array.from({ length: 40 }, () => turn(url, named));
  await until(async () => (await turnsOf(url, 's')).length === many.length);
  engine.release();
  let sum = 0;
  const spend = ({ told }: Awaited<ReturnType<typeof turn>>) => {
    sum += told.usage.completion_tokens;
  };
  for (const each of many) spend(await each);
  for (let at = 0; at < 20; at += 1) {
    const next = await turn(url, named);
    expect(await aboutOf(journal, next.id)).toMatchObject({ turns: 40 + at, tokens: sum });
    spend(next);
  }
});

test('another process reads from the journal what a session spent, however many turns it had', async () => {
  const journal = outlivingJournal();
  const { url, close } = await runGateway({ journal });
  const named = { coppice: { session: { id: 's', token_budget: 1e6 } } };
  let sum = 0;
  for (let at = 0; at < 40; at += 1) sum += (await turn(url, named)).told.usage.completion_tokens;
  await close();
  const { url: other } = await runGateway({ journal });
  const { id } = await turn(other, { prompt_cache_key: 's' });
  expect(await aboutOf(journal, id)).toMatchObject({ turns: 40, tokens: sum, token_budget: 1e6 });
});
