import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { journalConformance } from '../../../../tests/support/conformance.ts';
import type { Loose } from '../../../../tests/support/loose.ts';
import { hasPostgres, startPostgres, type TestDatabase } from '../../../../tests/support/postgres.ts';
import { Audits } from '../../../core/src/journal/audits.ts';
import type { NewSearch } from '../../../core/src/journal/journal.ts';
import type { LoggedEvent } from '../../../core/src/log/events.ts';
import type { JournalHarness } from '../../../core/src/testing/index.ts';
import { connect } from './connection.ts';
import { PostgresJournal, type PostgresJournalOptions } from './postgres-journal.ts';
import { migrate } from './schema.ts';

let database: TestDatabase;
let schemas = 0;

async function freshSchema(): Promise<PostgresJournalOptions> {
  schemas += 1;
  const options = { url: database.url, urlEnv: 'DATABASE_URL', schema: `case_${schemas}`, flushMs: 2 };
  const client = await connect(options);
  await migrate(client, options.schema);
  await client.end();
  return options;
}

async function makeCase(): Promise<JournalHarness> {
  const options = await freshSchema();
  return {
    open: (texts) => PostgresJournal.open({ ...options, texts }),
    reopen: async (journal) => {
      await journal.close();
      return PostgresJournal.open(options);
    },
  };
}

function search(id: string, background = true): NewSearch {
  return { id, owner: 'ann', fingerprint: 'f', background, createdMs: 1, about: {}, title: 't\u0000', request: {} };
}

function entry(search: string, sequence: number): LoggedEvent {
  return { search, sequence, atMs: 1, event: { type: 'moved', strand: 0, node: sequence } };
}

const ending = { state: 'done', endedMs: 9, outcome: {}, texts: {} } as const;

describe.skipIf(!hasPostgres)('the journal in PostgreSQL', () => {
  beforeAll(() => {
    database = startPostgres();
  });
  afterAll(() => database.remove());

  journalConformance(makeCase);

  test('a process that lost its search cannot write, and hears of it', async () => {
    const options = await freshSchema();
    const [first, second] = [await PostgresJournal.open(options), await PostgresJournal.open(options)];
    const lost: string[] = [];
    first.listen({ lost: (id) => lost.push(id) });
    await first.accept(search('a'));
    await first.claim('a', 0, 1);
    first.append(1, entry('a', 0));
    await first.flush();
    expect(await second.claim('a', 1, 2)).toBe(true);
    second.append(2, entry('a', 1));
    await second.flush();
    // Both entries have the right sequence: only their epochs differ.
    first.append(1, entry('a', 2));
    expect(await first.finish('a', 1, ending)).toBe(false);
    expect(lost).toEqual(['a']);
    expect((await second.read('a', -1, 9)).map(({ sequence }) => sequence)).toEqual([0, 1]);
    await Promise.all([first.close(), second.close()]);
  });

  test('nodes that end searches at the same time add the same rows up, each once', async () => {
    const options = await freshSchema();
    const nodes = [await PostgresJournal.open(options), await PostgresJournal.open(options)];
    const audit = { pairs: 2, right: 2, agreed: Array(21).fill(1), differed: Array(21).fill(1) };
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const [one, other] = at % 2 === 0 ? nodes : nodes.toReversed();
        await one!.accept({ ...search(`s${at}`), about: { model: 'm', mode: 'search' } });
        await one!.claim(`s${at}`, 0, 1);
        if (at % 3 === 0) {
          // Another node takes the search over in the middle; both try to end it.
          await other!.claim(`s${at}`, 1, 2);
          void one!.finish(`s${at}`, 1, { ...ending, outcome: { audit } });
          return other!.finish(`s${at}`, 2, { ...ending, endedMs: at, outcome: { audit } });
        }
        return one!.finish(`s${at}`, 1, { ...ending, endedMs: at, outcome: { audit } });
      }),
    );
    const judges = await Promise.all(
      nodes.map(async (journal) => {
        const audits = new Audits(journal, { nowMs: () => 0 });
        await audits.refresh();
        return audits.of('m', undefined, undefined).judge;
      }),
    );
    expect(judges[0]).toEqual({ questions: 60, agreement: 1, trust: 0 });
    expect(judges[1]).toEqual(judges[0]);
    await Promise.all(nodes.map((each) => each.close()));
  });

  test('a process whose claim comes too late writes nothing under the epoch that another was given', async () => {
    const options = await freshSchema();
    const [first, second] = [await PostgresJournal.open(options), await PostgresJournal.open(options)];
    const heard: string[] = [];
    first.listen({ lost: (id) => heard.push(`lost ${id}`), refused: (id, why) => heard.push(`refused ${id}: ${why}`) });
    await first.accept(search('a'));
    expect(await second.claim('a', 0, 1)).toBe(true);
    second.append(1, entry('a', 0));
    await second.flush();
    // It writes entries before it knows the result of its claim: both processes are at epoch 1.
    const claimed = first.claim('a', 0, 2);
    const other = { ...entry('a', 0), event: { type: 'moved', strand: 7, node: 7 } } as const;
    for (const each of [other, entry('a', 1), entry('a', 2)]) first.append(1, each);
    const finished = first.finish('a', 1, { ...ending, state: 'failed' });
    expect([await claimed, await finished]).toEqual([false, false]);
    expect(new Set(heard)).toEqual(new Set(['lost a']));
    second.append(1, entry('a', 1));
    expect(await second.finish('a', 1, { ...ending, lastSequence: 1 })).toBe(true);
    expect((await second.read('a', -1, 9)).map(({ event }) => (event as Loose).strand)).toEqual([0, 0]);
    await Promise.all([first.close(), second.close()]);
  });

  test('a row that cannot be read keeps no process from starting, and spoils no other', async () => {
    const options = await freshSchema();
    const first = await PostgresJournal.open(options);
    for (const id of ['a', 'b', 'c']) await first.accept(search(id));
    const client = await connect(options);
    await client.query(`update ${options.schema}.searches set request = '{' where id = 'a'`);
    expect(await first.find('a')).toMatchObject({ state: 'failed', damage: expect.stringContaining('column request') });
    expect((await first.unfinished()).map(({ id }) => id)).toEqual(['b', 'c']);
    await client.query(`update ${options.schema}.searches set about = 'x' where id = 'c'`);
    const told: string[] = [];
    const second = await PostgresJournal.open({ ...options, onDamage: (message) => told.push(message) });
    const what = (id: string, column: string) => `table searches, id ${id}: column ${column} holds no JSON object`;
    expect(told).toEqual(
      [what('a', 'request'), what('c', 'about')].map(
        (damage) => `the journal is damaged (${damage}); the row stays as it is, and its search has failed`,
      ),
    );
    expect((await second.unfinished()).map(({ id }) => id)).toEqual(['b']);
    expect((await second.list({ limit: 9 })).map(({ state }) => state)).toEqual(['failed', 'queued', 'failed']);
    // The nodes' query over the facts of all unfinished searches.
    const sql = `select about::json->>'home' as home from ${options.schema}.searches where ended_ms is null`;
    expect((await client.query(sql)).rows).toEqual([{ home: null }]);
    const held = await client.query(`select request from ${options.schema}.searches where id = 'a'`);
    expect(held.rows).toEqual([{ request: '{' }]);
    await Promise.all([first.close(), second.close(), client.end()]);
  });

  test('what one process writes, cancels and ends is heard by the other', async () => {
    const options = await freshSchema();
    const [first, second] = [await PostgresJournal.open(options), await PostgresJournal.open(options)];
    const heard: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      second.listen({
        grownElsewhere: (id, sequence) => heard.push([id, sequence]),
        cancelRequested: (id) => heard.push(id),
        endedElsewhere: () => resolve(),
      });
    });
    await first.accept(search('a'));
    await first.claim('a', 0, 1);
    first.append(1, entry('a', 0));
    first.append(1, entry('a', 1));
    await first.flush();
    await first.requestCancel('a');
    await first.finish('a', 1, ending);
    await all;
    expect(heard).toEqual([['a', 1], 'a']);
    await Promise.all([first.close(), second.close()]);
  });

  test('a database that goes away holds what it can, and all is written once when it is back', async () => {
    const options = await freshSchema();
    const journal = await PostgresJournal.open(options);
    const told: (string | undefined)[] = [];
    const lost: string[] = [];
    const troubled = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    journal.listen({
      lost: (id) => lost.push(id),
      trouble: (trouble) => {
        told.push(trouble);
        (trouble === undefined ? over : troubled).resolve();
      },
    });
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    journal.append(1, entry('a', 0));
    database.stop();
    journal.append(1, entry('a', 1));
    const finished = journal.finish('a', 1, ending);
    await troubled.promise;
    await expect(journal.accept(search('b'))).rejects.toThrow(/journal cannot be written/);
    expect(journal.trouble).toMatch(/DATABASE_URL/);
    expect(journal.health().unwritten).toBe(3);
    await expect(journal.find('a')).rejects.toThrow(/database cannot be used/);
    database.start();
    await over.promise;
    expect(await finished).toBe(true);
    expect([lost, told.length]).toEqual([[], 2]);
    expect(await journal.read('a', -1, 9)).toHaveLength(2);
    expect(await journal.find('b')).toBeUndefined();
    await journal.close();
  });

  test('a commit whose answer was lost is not written twice, and counts', async () => {
    const options = await freshSchema();
    const journal = await PostgresJournal.open(options);
    const lost: string[] = [];
    journal.listen({ lost: (id) => lost.push(id) });
    await journal.accept(search('a'));
    // The database commits the whole batch, and the connection dies before the answer.
    const original = pg.Client.prototype.query;
    let isCut = false;
    pg.Client.prototype.query = async function (this: pg.Client, ...args: unknown[]) {
      const result = await (original as (...given: unknown[]) => Promise<unknown>).apply(this, args);
      if (args[0] !== 'commit' || isCut) return result;
      isCut = true;
      throw new Error('Connection terminated unexpectedly');
    } as typeof original;
    const claimed = journal.claim('a', 0, 1);
    journal.append(1, entry('a', 0));
    const finished = journal.finish('a', 1, ending);
    expect(await Promise.all([claimed, finished])).toEqual([true, true]);
    pg.Client.prototype.query = original;
    expect([isCut, lost]).toEqual([true, []]);
    expect(await journal.read('a', -1, 9)).toHaveLength(1);
    await journal.close();
  });

  test('older tables are brought up to date by migrating, and by nothing else', async () => {
    const options = await freshSchema();
    const client = await connect(options);
    await client.query(
      `alter table ${options.schema}.searches drop column log, drop column runs, drop column session;
       alter table ${options.schema}.nodes drop column servers, drop column report, add column url text;
       drop table ${options.schema}.usage`,
    );
    await client.query(`update ${options.schema}.meta set version = 2`);
    await client.query(`insert into ${options.schema}.nodes values ('old', now(), '0.1', '{m}')`);
    await expect(PostgresJournal.open(options)).rejects.toThrow(/has format 2, this coppice 7; run coppice migrate$/);
    expect(await migrate(client, options.schema)).toBe(true);
    expect(await migrate(client, options.schema)).toBe(false);
    const { rows } = await client.query(`select servers, report from ${options.schema}.nodes`);
    expect(rows).toEqual([{ servers: [], report: '{}' }]);
    await (await PostgresJournal.open(options)).close();
    await client.end();
  });

  test('a wrong address, missing rights and other tables are one line each', async () => {
    const options = await freshSchema();
    const failing = (change: Partial<PostgresJournalOptions>) => PostgresJournal.open({ ...options, ...change });
    const at = (role: string, name: string) => database.url.replace('coppice@/postgres', `${role}@/${name}`);
    await expect(failing({ url: at('coppice', 'none') })).rejects.toThrow(/^bad-setting: [^\n]*"none" does not exist/);
    await expect(failing({ url: at('nobody', 'postgres') })).rejects.toThrow(/bad-setting: [^\n]*"nobody" does not/);
    await expect(failing({ url: 'postgres://127.0.0.1:1/x' })).rejects.toThrow(/unavailable: [^\n]*ECONNREFUSED/);
    await expect(failing({ url: 'not a url' })).rejects.toThrow(/^(bad-setting|unavailable): [^\n]*DATABASE_URL/);
    await expect(failing({ schema: 'empty' })).rejects.toThrow(
      /no tables of coppice in schema empty; run coppice migr/,
    );
    await expect(failing({ schema: 'a;b' })).rejects.toThrow(/journal\.schema/);
    const client = await connect(options);
    await client.query('create role reader login');
    await client.query(`grant usage on schema ${options.schema} to reader`);
    await client.query(`grant select on all tables in schema ${options.schema} to reader`);
    await expect(failing({ url: at('reader', 'postgres') })).rejects.toThrow(/bad-setting: [^\n]*permission denied/);
    await client.query(`update ${options.schema}.meta set version = 99`);
    await expect(failing({})).rejects.toThrow(/has format 99, this coppice 7; start the newer/);
    await client.query(`update ${options.schema}.meta set version = 0`);
    await expect(failing({})).rejects.toThrow(/run coppice migrate/);
    await client.end();
  });
});
