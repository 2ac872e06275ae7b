import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasPostgres, startPostgres, type TestDatabase } from '../../../../tests/support/postgres.ts';
import type { LogFormats } from '../../../core/src/log/entry.ts';
import { connect, type DatabaseOptions } from '../journal/connection.ts';
import { PostgresJournal } from '../journal/postgres-journal.ts';
import { migrate } from '../journal/schema.ts';
import { Membership } from './membership.ts';
import { NodeQueue } from './node-queue.ts';

let database: TestDatabase;
let options: DatabaseOptions;

/** Turns are in seconds since 1970. */
const turnOf = (at: number) => 1_790_000_000 + at;
const searchId = (at: number) => `srch_${String(at).padStart(32, '0')}`;

/** A node of one version: the formats it writes and reads. */
async function nodeOf(formats: LogFormats): Promise<{ queue: NodeQueue; journal: PostgresJournal }> {
  const journal = await PostgresJournal.open({ ...options, formats });
  const queue = await NodeQueue.open({ ...options, formats }, ['m'], () => {});
  onTestFinished(async () => {
    await Promise.all([queue.close(), journal.close()]);
  });
  return { queue, journal };
}

async function accept({ queue, journal }: Awaited<ReturnType<typeof nodeOf>>, at: number): Promise<string> {
  const id = searchId(at);
  const facts = { owner: 'ann', fingerprint: 'f', background: true, createdMs: 1, title: '', request: {} };
  await journal.accept({ id, ...facts, about: { model: 'm', turn: turnOf(at) } });
  await queue.offer({ id, model: 'm', turn: turnOf(at) });
  return id;
}

describe.skipIf(!hasPostgres)('the queue between nodes', () => {
  beforeAll(async () => {
    database = startPostgres();
    options = { url: database.url, urlEnv: 'DATABASE_URL', schema: 'coppice' };
    const client = await connect(options);
    await migrate(client, options.schema);
    await client.end();
    await NodeQueue.migrate(options);
  });
  afterAll(() => database.remove());

  test('gives what waits in the order of turns, once, and keeps from others what is held', async () => {
    const node = await nodeOf({ writes: 1, reads: [1] });
    const other = await nodeOf({ writes: 1, reads: [1] });
    const [third, first, second] = [await accept(node, 30), await accept(node, 10), await accept(node, 20)];
    await node.queue.hold('m', [{ id: searchId(5), model: 'm', turn: turnOf(5) }]);
    expect([await node.queue.take('m'), await other.queue.take('m')]).toEqual([first, second]);
    await other.queue.giveBack('m', [second]);
    expect([await node.queue.take('m'), await node.queue.take('m')]).toEqual([second, third]);
    expect(await other.queue.take('m')).toBeUndefined();
    await node.queue.complete('m', [first, second, third, searchId(5)]);
    for (const id of [first, second, third])
      await node.journal.finish(id, 0, { state: 'done', endedMs: 1, outcome: {}, texts: {} });
  });

  test('is as old as the search that has waited longest; nodes name the servers that they use now', async () => {
    const node = await nodeOf({ writes: 1, reads: [1] });
    const members = ['a', 'b'].map((name) => new Membership(options, { node: name, version: '1', models: ['m'] }));
    onTestFinished(async () => {
      await Promise.all(members.map((each) => each.close()));
    });
    const [a, b] = members as [Membership, Membership];
    expect(await a.queueAgeMs()).toBe(0);
    const id = await accept(node, 40);
    // It was accepted a millisecond after 1970 began.
    expect(await a.queueAgeMs()).toBeGreaterThan(1e12);
    await node.queue.complete('m', [id]);
    await node.journal.finish(id, 0, { state: 'done', endedMs: 1, outcome: {}, texts: {} });
    const servers = async (isWhole: boolean) => (await a.living(isWhole)).map((each) => each.servers);
    await a.beat({}, ['one']);
    expect(await servers(false)).toEqual([['one']]);
    await b.beat({}, ['one']);
    expect(await servers(false)).toEqual([['one'], ['one']]);
    await b.beat({}, ['one', 'two']);
    expect(await servers(false)).toEqual([['one'], ['one']]);
    expect(await servers(true)).toEqual([['one'], ['one', 'two']]);
  });

  test('gives a node only logs that it can read, and never again one that a newer node went on with', async () => {
    const [old, young] = [await nodeOf({ writes: 1, reads: [1] }), await nodeOf({ writes: 2, reads: [2, 1] })];
    const [olds, youngs] = [await accept(old, 101), await accept(young, 102)];
    expect(await old.queue.take('m')).toBe(olds);
    expect(await old.queue.take('m')).toBeUndefined();
    await old.queue.giveBack('m', [olds]);
    expect([await young.queue.take('m'), await young.queue.take('m')].sort()).toEqual([olds, youngs]);
    expect(await young.journal.claim(olds, 0, 1)).toBe(true);
    await young.queue.giveBack('m', [olds, youngs]);
    expect(await old.queue.take('m')).toBeUndefined();
    // The journal refuses the claim too, in case the queue hands the search out.
    expect(await old.journal.claim(olds, 1, 2)).toBe(false);
    expect(await old.journal.claim(youngs, 0, 2)).toBe(false);
    await young.queue.complete('m', [olds, youngs]);
    // Neither has a job, and both nodes are gone: each version offers what it can read.
    expect(await old.queue.offerOrphans([])).toEqual([]);
    expect((await young.queue.offerOrphans([])).map(({ id }) => id)).toEqual([olds, youngs]);
    expect(await old.queue.take('m')).toBeUndefined();
    expect([await young.queue.take('m'), await young.queue.take('m')]).toEqual([olds, youngs]);
  });
});
