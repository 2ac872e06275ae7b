// Every kind of write to the journal in PostgreSQL whose commit is carried out and whose answer never comes: it is done once, its
// caller is told so, and nothing that came after it is lost. `late`: the commit itself comes after its writer has begun to try again.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { NewSearch } from '../../packages/core/src/journal/journal.ts';
import type { LoggedEvent } from '../../packages/core/src/log/events.ts';
import { PostgresJournal } from '../../packages/postgres/src/journal/postgres-journal.ts';
import { migrate } from '../../packages/postgres/src/journal/schema.ts';
import { CutLine, type LostAnswerOptions } from '../support/cut-line.ts';
import type { Loose } from '../support/loose.ts';
import { hasPostgres, startPostgres, type TestDatabase } from '../support/postgres.ts';
import { post, question, runGateway } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let schemas = 0;
beforeAll(() => {
  if (hasPostgres) database = startPostgres();
});
afterAll(() => database?.remove());

interface Opened {
  readonly line: CutLine;
  readonly journal: PostgresJournal;
  /** Told to listeners. */
  readonly durable: number[];
  readonly lost: string[];
  rows(table: 'searches' | 'events' | 'documents' | 'parts'): Promise<Loose[]>;
}

/** A journal behind a line of its own. */
async function open(): Promise<Opened> {
  schemas += 1;
  const schema = `lost_${schemas}`;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await migrate(client, schema);
  const line = new CutLine(database.url);
  const journal = await PostgresJournal.open({ url: line.url, urlEnv: 'DATABASE_URL', schema, flushMs: 2 });
  const [durable, lost]: [number[], string[]] = [[], []];
  journal.listen({ durable: (_, sequence) => durable.push(sequence), lost: (id) => lost.push(id) });
  onTestFinished(async () => {
    line.mend();
    // A gateway closes its own.
    await journal.close().catch(() => {});
    line.close();
    await client.end();
  });
  return { line, journal, durable, lost, rows: async (table) => (await client.query(`table ${schema}.${table}`)).rows };
}

function search(id: string, idempotencyKey?: string): NewSearch {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const kept = { id, owner: 'ann', fingerprint: 'f', background: true, createdMs: 1, ...key };
  return { ...kept, about: {}, title: 't', request: {} };
}

function entry(sequence: number): LoggedEvent {
  return { search: 'a', sequence, atMs: 1, event: { type: 'moved', strand: 0, node: sequence } };
}

const ending = { state: 'done', endedMs: 9, outcome: { exit: 'x' }, texts: { content: 'c' } } as const;
const document = { id: 'd', kind: 'file', owner: 'ann', createdMs: 1, open: true, expiresMs: undefined } as const;
const isWell = (journal: PostgresJournal) => until(async () => journal.trouble === undefined);

const ways: readonly (readonly [string, LostAnswerOptions])[] = [
  ['lost', { refusedMs: 300 }],
  ['late', { refusedMs: 50, lateMs: 1000 }],
];

describe.skipIf(!hasPostgres).each(ways)('an answer that is %s', (_, way) => {
  test.each([undefined, 'key'])('of an acceptance, with the idempotency key %s', async (key) => {
    const { line, journal, rows } = await open();
    const gone = line.loseAnswer({ ...way, matching: /insert into \S+\.searches/ });
    const accepted = journal.accept(search('a', key));
    await gone;
    expect(await accepted).toEqual({ fresh: true });
    expect(await rows('searches')).toMatchObject([{ id: 'a', state: 'queued', epoch: 0, cancel_requested: 0 }]);
    if (key === undefined) return;
    expect(await journal.accept(search('b', key))).toEqual({ fresh: false, id: 'a', fingerprint: 'f' });
    expect(await rows('searches')).toHaveLength(1);
  });

  test('of a claim', async () => {
    const { line, journal, rows } = await open();
    await journal.accept(search('a'));
    const gone = line.loseAnswer({ ...way, matching: /set epoch/ });
    const claimed = journal.claim('a', 0, 5);
    await gone;
    expect(await claimed).toBe(true);
    expect(await rows('searches')).toMatchObject([{ state: 'running', epoch: 1, started_ms: 5 }]);
    // The same process asks again: it has it, and is not told so twice.
    expect(await journal.claim('a', 0, 6)).toBe(false);
  });

  test('of an entry, with others behind it', async () => {
    const { line, journal, durable, lost, rows } = await open();
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    const gone = line.loseAnswer({ ...way, matching: /insert into \S+\.events/ });
    journal.append(1, entry(0));
    journal.append(1, entry(1));
    await gone;
    journal.append(1, entry(2));
    journal.append(1, entry(3));
    expect(await journal.finish('a', 1, { ...ending, lastSequence: 3 })).toBe(true);
    expect((await rows('events')).map(({ sequence }) => sequence).sort()).toEqual([0, 1, 2, 3]);
    expect(durable).toEqual([0, 1, 2, 3]);
    expect(lost).toEqual([]);
  });

  test('of an end', async () => {
    const { line, journal, lost, rows } = await open();
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    journal.append(1, entry(0));
    await journal.flush();
    const gone = line.loseAnswer({ ...way, matching: /set state = w\.state/ });
    const finished = journal.finish('a', 1, { ...ending, lastSequence: 0 });
    await gone;
    expect(await finished).toBe(true);
    expect(await rows('searches')).toMatchObject([{ state: 'done', ended_ms: 9, outcome: '{"exit":"x"}' }]);
    expect(lost).toEqual([]);
    // Another end is refused.
    expect(await journal.finish('a', 1, { ...ending, endedMs: 10 })).toBe(false);
  });

  test('of the wish to cancel: its client may be asked to ask again, and it stands', async () => {
    const { line, journal, rows } = await open();
    await journal.accept(search('a'));
    const gone = line.loseAnswer({ ...way, matching: /set cancel_requested/ });
    const cancelled = journal.requestCancel('a').catch((error: Error) => error.message);
    await gone;
    expect([true, expect.stringContaining('unavailable')]).toContainEqual(await cancelled);
    await isWell(journal);
    expect(await rows('searches')).toMatchObject([{ state: 'queued', cancel_requested: 1 }]);
    expect(await journal.requestCancel('a')).toBe(true);
  });

  test('of a document with parts', async () => {
    const { line, journal, rows } = await open();
    const gone = line.loseAnswer({ ...way, matching: /insert into \S+\.documents/ });
    const added = journal.documents.add({ ...document, facts: { a: 1 } }, ['x', 'y']);
    // Failing or not, it is settled when the line is whole again.
    added.catch(() => {});
    await gone;
    await added;
    expect(await rows('documents')).toMatchObject([{ id: 'd', revision: 0 }]);
    expect((await rows('parts')).map(({ text }) => text).sort()).toEqual(['x', 'y']);
  });

  test('of the change of a document', async () => {
    const { line, journal, rows } = await open();
    await journal.documents.add({ ...document, facts: { a: 1 } });
    const gone = line.loseAnswer({ ...way, matching: /update \S+\.documents/ });
    const change = { facts: { a: 2 }, open: false, expiresMs: 7 };
    const changed = journal.documents.change('d', 0, change);
    changed.catch(() => {});
    await gone;
    expect(await changed).toBe(true);
    expect(await rows('documents')).toMatchObject([{ facts: '{"a":2}', revision: 1, open: 0 }]);
    // Another one from the same revision is refused.
    expect(await journal.documents.change('d', 0, { ...change, facts: { a: 3 } })).toBe(false);
  });

  test('of a part', async () => {
    const { line, journal, rows } = await open();
    await journal.documents.add({ ...document, facts: {} });
    const gone = line.loseAnswer({ ...way, matching: /insert into \S+\.parts/ });
    const added = journal.documents.addPart('d', 4, 'x');
    added.catch(() => {});
    await gone;
    expect(await added).toBe(true);
    expect(await rows('parts')).toMatchObject([{ document: 'd', part: 4, text: 'x' }]);
    // Another text under the same number is refused.
    expect(await journal.documents.addPart('d', 4, 'y')).toBe(false);
  });
});

describe.skipIf(!hasPostgres)('an acceptance whose answer stays away', () => {
  test('for longer than its client waits is taken back, and its client is told 503', async () => {
    const { line, journal, rows } = await open();
    const { url } = await runGateway({ journal });
    const gone = line.loseAnswer({ matching: /insert into \S+\.searches/ });
    const answered = post(`${url}/v1/searches`, { ...question, background: true });
    await gone;
    expect(await rows('searches')).toMatchObject([{ state: 'queued', epoch: 0 }]);
    const answer = await answered;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 'unavailable' } });
    line.mend();
    await until(async () => (await rows('searches'))[0]?.state === 'cancelled');
    expect(await rows('searches')).toMatchObject([{ epoch: 0, cancel_requested: 1, request: null, title: null }]);
    expect(await rows('events')).toEqual([]);
  });
});
