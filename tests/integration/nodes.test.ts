// Two nodes in one process on one PostgreSQL, with the engine's server between them: what each may use of it, and what each
// says of the other.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openModels } from '../../src/answering/open-models.ts';
import { run as migrate } from '../../src/cli/commands/migrate.ts';
import { openJournal } from '../../src/cli/commands/open-journal.ts';
import { checkConfig, type PlainTree } from '../../src/config/load.ts';
import { Gateway } from '../../src/gateway/gateway.ts';
import { silentLog } from '../../src/gateway/observe/log.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { hasPostgres, startPostgres, type TestDatabase } from '../support/postgres.ts';
import { post } from '../support/running-gateway.ts';

let database: TestDatabase;

async function startNode(model: PlainTree, journal: PlainTree = {}): Promise<{ url: string; gateway: Gateway }> {
  const config = checkConfig({
    server: { port: 0, page: false, shutdownMs: 0 },
    journal: { kind: 'postgres', ...journal },
    models: [{ name: 'm', ...model }],
  });
  const models = await openModels(config.models, {});
  const shared = await openJournal(config, { DATABASE_URL: database.url }, silentLog);
  const gateway = new Gateway({ config, models, ...shared, log: silentLog });
  const url = await gateway.listen();
  onTestFinished(() => gateway.close());
  return { url, gateway };
}

async function overview(url: string): Promise<Loose> {
  return (await fetch(`${url}/v1/overview`)).json();
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.skipIf(!hasPostgres)('nodes', () => {
  beforeAll(async () => {
    database = startPostgres();
    process.env.DATABASE_URL = database.url;
    await migrate([]);
  });
  afterAll(() => {
    delete process.env.DATABASE_URL;
    database?.remove();
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

    server.pace = () => new Promise((resolve) => setTimeout(resolve, 20));
    const body = { model: 'm', messages: [{ role: 'user', content: 'what is it?' }], background: true, title: 'mine' };
    const { id } = (await (await post(`${second.url}/v1/searches`, body)).json()) as Loose;
    await until(async () => (await overview(first.url)).searches.listed.some((each: Loose) => each.id === id));
    await fetch(`${first.url}/v1/searches/${id}`, { method: 'DELETE' });
    await second.gateway.close();
    await until(async () => (await overview(first.url)).models[0].budget === 9);
    expect((await overview(first.url)).nodes).toHaveLength(1);
  });

  test('keep what the others could not read where its client is', async () => {
    const node = await startNode({ engine: { kind: 'sim', speed: 100 } }, { texts: 'until-end' });
    const body = { model: 'm', messages: [{ role: 'user', content: 'what is it?' }] };
    const answer = (await (await post(`${node.url}/v1/chat/completions`, body)).json()) as Loose;
    expect(answer.choices[0].message.content).toMatch(/./);
    const listed = async (): Promise<Loose[]> =>
      ((await (await fetch(`${node.url}/v1/searches`)).json()) as Loose).data;
    await until(async () => (await listed())[0]?.title === null);
    expect((await listed())[0]).toMatchObject({ state: 'done', epoch: 1 });
  });
});
