// Two nodes in one process on one PostgreSQL, with the engine's server between them: what each may use of it, and what each
// says of the other.

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { run as migrate } from '../../packages/coppice/src/cli/commands/migrate.ts';
import { openModels } from '../../packages/core/src/answering/models/open-models.ts';
import type { Clock } from '../../packages/core/src/base/clock.ts';
import { raise } from '../../packages/core/src/base/fault.ts';
import { checkConfig, type PlainTree } from '../../packages/core/src/config/load.ts';
import { journalKind } from '../../packages/core/src/config/plugin.ts';
import { systemClock } from '../../packages/core/src/runtime/live.ts';
import { Gateway } from '../../packages/gateway/src/gateway.ts';
import { newKey } from '../../packages/gateway/src/http/keys.ts';
import { silentLog } from '../../packages/gateway/src/observe/log.ts';
import { Vocabulary } from '../servers/model.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { hasPostgres, startPostgres, type TestDatabase } from '../support/postgres.ts';
import { post } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
/** Of one test: what the nodes of another have left unended would be taken up by its own. */
let schema = '';
let schemas = 0;

interface NodeOptions {
  readonly journal?: PlainTree;
  readonly keys?: readonly PlainTree[];
  readonly clock?: Clock;
  /** So many times its journal cannot read a log. */
  readonly failedReads?: number;
}

async function startNode(
  model: PlainTree,
  { journal = {}, keys = [], clock = systemClock, failedReads = 0 }: NodeOptions = {},
) {
  const config = checkConfig({
    server: { port: 0, shutdownMs: 0 },
    journal: { kind: 'postgres', schema, ...journal },
    keys,
    models: [{ name: 'm', ...model }],
  });
  const models = await openModels(config.models, {});
  const opening = { environment: { DATABASE_URL: database.url }, log: silentLog, clock };
  const shared = await journalKind('postgres').open(config, opening);
  const read = shared.journal.read.bind(shared.journal);
  let failures = failedReads;
  shared.journal.read = async (...args) => {
    failures -= 1;
    return failures >= 0 ? raise('unavailable', 'the database cannot be used') : read(...args);
  };
  const gateway = new Gateway({ config, models, ...shared, log: silentLog });
  const url = await gateway.listen();
  onTestFinished(() => gateway.close());
  return { url, gateway, clock: shared.clock };
}

async function overview(url: string): Promise<Loose> {
  return (await fetch(`${url}/v1/overview`)).json();
}

describe.skipIf(!hasPostgres)('nodes', () => {
  beforeAll(() => {
    database = startPostgres();
    process.env.DATABASE_URL = database.url;
  });
  beforeEach(async () => {
    schemas += 1;
    schema = `nodes_${schemas}`;
    await migrate(['--set', `journal.schema=${schema}`]);
  });
  afterAll(() => {
    delete process.env.DATABASE_URL;
    database?.remove();
  });

  test('count the quota of a key together: what one has let in, the others know a moment later, and after its end', async () => {
    const { key, hash } = newKey();
    const model = { engine: { kind: 'sim' }, verifier: { kind: 'sim' }, budget: 4 };
    const keys = [{ name: 'ann', hash, quota: { requests: 3, windowMs: 86_400_000 } }];
    const headers = { authorization: `Bearer ${key}` };
    const ask = async ({ url }: { url: string }) => {
      const messages = [{ role: 'user', content: 'x' }];
      return (await post(`${url}/v1/searches`, { model: 'm', messages, background: true }, headers)).status;
    };
    const used = async ({ url }: { url: string }) => {
      const { data } = (await (await fetch(`${url}/v1/usage`, { headers })).json()) as Loose;
      return data[0].quota.requests.used;
    };
    const [first, second] = [await startNode(model, { keys }), await startNode(model, { keys })];
    expect([await ask(first), await ask(first), await ask(second)]).toEqual([202, 202, 202]);
    await until(async () => (await used(first)) === 3 && (await used(second)) === 3);
    expect([await ask(first), await ask(second)]).toEqual([429, 429]);
    await Promise.all([first.gateway.close(), second.gateway.close()]);
    const third = await startNode(model, { keys });
    expect([await used(third), await ask(third)]).toEqual([3, 429]);
  });

  test('divide the budget and the limit of a server that they share, and list one another', async () => {
    const server = await new VllmServer().listen();
    onTestFinished(() => server.close());
    const engine = { kind: 'openai', urls: [`${server.url}/v1`], inFlight: 10 };
    const model = { engine, verifier: { kind: 'none' }, budget: 9 };
    const first = await startNode(model);
    expect((await overview(first.url)).models[0].budget).toBe(9);
    const second = await startNode(model);
    const [{ engine: used }] = [...second.gateway.searches.models.values()] as Loose[];
    expect((await overview(second.url)).models[0].budget).toBe(4);
    expect(used.load().sequenceLimit).toBe(5);
    await until(async () => (await overview(first.url)).models[0].budget === 4);
    const { nodes } = await overview(first.url);
    expect(nodes).toHaveLength(2);
    expect(nodes.map(({ here }: Loose) => here).sort()).toEqual([false, true]);
    for (const node of nodes) expect(node).toMatchObject({ models: ['m'], healthy: true, running: 0 });

    // Its search runs until it is cancelled: nodes list one another's running searches every two seconds.
    const cancelled = Promise.withResolvers<void>();
    server.pace = () => cancelled.promise;
    const body = { model: 'm', messages: [{ role: 'user', content: 'what is it?' }], background: true, title: 'mine' };
    const { id } = (await (await post(`${second.url}/v1/searches`, body)).json()) as Loose;
    await until(async () => (await overview(first.url)).searches.listed.some((each: Loose) => each.id === id));
    await fetch(`${first.url}/v1/searches/${id}`, { method: 'DELETE' });
    cancelled.resolve();
    await second.gateway.close();
    await until(async () => (await overview(first.url)).models[0].budget === 9);
    expect((await overview(first.url)).nodes).toHaveLength(1);
  });

  test('agree on a session: what it was given anywhere, what it may spend, and the server that holds it', async () => {
    const vocabulary = new Vocabulary();
    const servers = await Promise.all([0, 1].map(() => new VllmServer({ vocabulary }).listen()));
    for (const server of servers) onTestFinished(() => server.close());
    const engine = { kind: 'openai', urls: servers.map(({ url }) => `${url}/v1`) };
    const model = { engine, verifier: { kind: 'none' }, budget: 8 };
    const nodes = [await startNode(model), await startNode(model)];
    const messages = [{ role: 'user', content: 'what is it?' }];
    const ask = async (at: number, session: unknown) => {
      const body = { model: 'm', messages, coppice: { program: 'greedy', session } };
      const answer = await post(`${nodes[at % 2]!.url}/v1/chat/completions`, body);
      return { status: answer.status, told: (await answer.json()) as Loose };
    };
    const homes = () => servers.map((server) => server.bodies('/v1/completions').length);
    for (let session = 0; session < 6; session += 1) {
      const before = homes();
      for (let at = 0; at < 4; at += 1) expect((await ask(at, `s${session}`)).status).toBe(200);
      const grown = homes().map((count, at) => count - before[at]!);
      expect(Math.min(...grown)).toBe(0);
    }
    const list = await fetch(`${nodes[1]!.url}/v1/searches?session=s3`);
    expect(((await list.json()) as Loose).data).toHaveLength(4);
    // The other node knows the budget and what was spent of it.
    const { told } = await ask(0, { id: 's3', token_budget: 1e6 });
    const spent = await ask(1, { id: 's3', token_budget: told.usage.completion_tokens });
    expect([spent.status, spent.told.error?.code]).toEqual([402, 'session_spent']);
    expect((await ask(1, 's3')).status).toBe(200);
  });

  test('audit a judge at the same time, and count each search once, whichever node ended it', async () => {
    const model = { engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' } };
    const nodes = [await startNode(model), await startNode(model)];
    const coppice = { program: 'best-of-n', policy: 'vanilla', rollouts: 8 };
    const ids = await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const messages = [{ role: 'user', content: `what is ${at}?` }];
        const body = { model: 'm', messages, background: true, coppice };
        return ((await (await post(`${nodes[at % 2]!.url}/v1/searches`, body)).json()) as Loose).id as string;
      }),
    );
    const stateOf = async (id: string) =>
      ((await (await fetch(`${nodes[0]!.url}/v1/searches/${id}`)).json()) as Loose).state;
    await until(async () => (await Promise.all(ids.map(stateOf))).every((state) => state === 'done'));
    const client = new pg.Client(database.url);
    await client.connect();
    const counting = `SELECT count(*)::int AS audited FROM ${schema}.searches WHERE outcome::text LIKE '%"audit"%'`;
    const { audited } = (await client.query(counting)).rows[0] as Loose;
    await client.end();
    expect(audited).toBeGreaterThan(0);
    const told = async ({ url }: { readonly url: string }) =>
      Number(/judge_split_searches\{model="m"\} (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
    await until(async () => (await Promise.all(nodes.map(told))).every((count) => count === audited));
  });

  test('are not put out of order by one whose clock is wrong by an hour', async () => {
    const wrong = (hours: number): NodeOptions => ({ clock: { nowMs: () => Date.now() + hours * 3_600_000 } });
    const model = { engine: { kind: 'sim', speed: 200 }, budget: 1 };
    const nodes = [await startNode(model, wrong(1)), await startNode(model, wrong(-1)), await startNode(model)];
    // The database's clock is this machine's. A node knows it to the time of a question and its answer, which a busy machine draws out.
    const errorsMs = nodes.map(({ clock }) => clock.nowMs() - Date.now());
    const apartMs = Math.max(...errorsMs) - Math.min(...errorsMs);
    expect(apartMs).toBeLessThan(60_000);
    const messages = [{ role: 'user', content: 'what is it?' }];
    const body = { model: 'm', messages, background: true, coppice: { rollouts: 2 } };
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      ids.push(((await (await post(`${nodes[at % 3]!.url}/v1/searches`, body)).json()) as Loose).id);
      const createdMs = Date.now();
      await until(() => Date.now() > createdMs + apartMs + 1);
    }
    expect([...ids].sort()).toEqual(ids);
    const list = async (): Promise<Loose[]> =>
      ((await (await fetch(`${nodes[0]!.url}/v1/searches`)).json()) as Loose).data.filter(({ id }: Loose) =>
        ids.includes(id),
      );
    await until(async () => (await list()).every(({ state }) => state === 'done'));
    const searches = (await list()).reverse();
    expect(searches.map(({ id }) => id)).toEqual(ids);
    for (const { created_ms, started_ms, ended_ms } of searches) {
      expect(Math.abs(created_ms - Date.now())).toBeLessThan(600_000);
      expect(ended_ms).toBeGreaterThanOrEqual(started_ms);
    }
  });

  test('do not give a search up whose log could not be read for a moment', async () => {
    const slow = { engine: { kind: 'sim', speed: 0.05 }, budget: 1 };
    const busy = await startNode(slow);
    const body = { model: 'm', messages: [{ role: 'user', content: 'what is it?' }], background: true };
    const create = async (): Promise<Loose> => (await post(`${busy.url}/v1/searches`, body)).json() as Promise<Loose>;
    const read = async (url: string, id: string): Promise<Loose> =>
      (await fetch(`${url}/v1/searches/${id}`)).json() as Promise<Loose>;
    const first = await create();
    // Else the queue between nodes may hand out the second one first: searches that come within a tenth of a second have no order.
    await until(async () => (await read(busy.url, first.id)).state === 'running');
    const second = await create();
    const other = await startNode({ engine: { kind: 'sim', speed: 200 } }, { failedReads: 1 });
    await until(async () => (await read(other.url, second.id)).state === 'done');
    expect((await read(other.url, second.id)).epoch).toBe(2);
    await fetch(`${busy.url}/v1/searches/${first.id}`, { method: 'DELETE' });
  });

  test('that cannot start say why in one line', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('create role half login');
    await client.query(`grant usage on schema ${schema} to half`);
    await client.query(`grant all on all tables in schema ${schema} to half`);
    await client.end();
    const at = (role: string, name: string) => database.url.replace('coppice@/postgres', `${role}@/${name}`);
    const cases: [url: string, asked: string, why: RegExp][] = [
      ['', schema, /^bad-setting: [^\n]*DATABASE_URL is not set[^\n]*$/],
      ['postgres://127.0.0.1:1/x', schema, /^unavailable: [^\n]*ECONNREFUSED[^\n]*$/],
      [at('nobody', 'postgres'), schema, /^bad-setting: [^\n]*"nobody" does not exist[^\n]*$/],
      [at('half', 'postgres'), schema, /^bad-setting: [^\n]*permission denied for schema nodes_\d+_queue[^\n]*$/],
      [database.url, 'other', /^bad-setting: [^\n]*no tables of coppice in schema other; run coppice migrate$/],
    ];
    for (const [url, asked, why] of cases) {
      const config = checkConfig({
        journal: { kind: 'postgres', schema: asked },
        models: [{ name: 'm', engine: { kind: 'sim' } }],
      });
      const opening = { environment: { DATABASE_URL: url }, log: silentLog, clock: systemClock };
      await expect(journalKind('postgres').open(config, opening)).rejects.toThrow(why);
    }
  });

  test('keep what the others could not read where its client is', async () => {
    const node = await startNode({ engine: { kind: 'sim', speed: 100 } }, { journal: { texts: 'until-end' } });
    const body = { model: 'm', messages: [{ role: 'user', content: 'what is it?' }] };
    const answer = (await (await post(`${node.url}/v1/chat/completions`, body)).json()) as Loose;
    expect(answer.choices[0].message.content).toMatch(/./);
    const listed = async (): Promise<Loose[]> =>
      ((await (await fetch(`${node.url}/v1/searches`)).json()) as Loose).data;
    await until(async () => (await listed())[0]?.title === null);
    expect((await listed())[0]).toMatchObject({ state: 'done', epoch: 1 });
  });
});
