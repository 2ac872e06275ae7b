import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { journalConformance } from '../../../../../tests/support/conformance.ts';
import { FaultError } from '../../base/fault.ts';
import type { JournalHarness } from '../../testing/index.ts';
import { readableByOthers } from './open-database.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-journal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

const fresh = { owner: 'o', fingerprint: 'f', background: true, createdMs: 0, about: {}, title: '', request: {} };
const batch = { kind: 'batch', owner: 'o', createdMs: 0, open: true, expiresMs: undefined, facts: {} } as const;

let ended = 0;
async function acceptAndEnd(journal: SqliteJournal, id: string): Promise<void> {
  ended += 1;
  await journal.accept({ ...fresh, id, idempotencyKey: id });
  await journal.claim(id, 0, 0);
  journal.append(1, { search: id, sequence: 0, atMs: 0, event: { type: 'submitted' } });
  await journal.finish(id, 1, { state: 'done', endedMs: ended, outcome: {}, texts: {}, lastSequence: 0 });
}

function makeCase(): JournalHarness {
  const path = freshPath();
  return {
    open: (texts) => new SqliteJournal({ path, texts }),
    reopen: async (journal) => {
      await journal.close();
      return new SqliteJournal({ path });
    },
  };
}

describe('the journal in memory', () => {
  journalConformance(() => ({ open: (texts) => new SqliteJournal({ path: ':memory:', texts }) }), {
    'what was accepted and appended is there after a restart': 'nothing outlives the process',
  });

  test('leaves nothing on disk, and takes no file of its name for its own', async () => {
    const before = process.cwd();
    const place = mkdtempSync(join(folder, 'memory-'));
    process.chdir(place);
    onTestFinished(() => process.chdir(before));
    writeFileSync(':memory:', 'a file of that name');
    writeFileSync(':memory:-wal', 'and no log');
    const journal = new SqliteJournal({ path: ':memory:' });
    await journal.documents.add({ ...batch, id: 'batch-1' }, ['x'.repeat(1e6)]);
    await acceptAndEnd(journal, 'a');
    expect(journal.health()).toMatchObject({ unwritten: 0, bytes: 0 });
    expect(readdirSync(place)).toEqual([':memory:', ':memory:-wal']);
    await journal.close();
    expect(readFileSync(':memory:', 'utf8')).toBe('a file of that name');
  });

  test('is of one process and one opening', async () => {
    const [first, second] = [new SqliteJournal({ path: ':memory:' }), new SqliteJournal({ path: ':memory:' })];
    await acceptAndEnd(first, 'a');
    expect([await first.find('a'), await second.find('a')]).toMatchObject([{ state: 'done' }, undefined]);
    await Promise.all([first.close(), second.close()]);
  });

  test('holds so many ended searches and no more, and their logs go with them', async () => {
    const journal = new SqliteJournal({ path: ':memory:', mostEnded: 2 });
    for (const id of ['a', 'b', 'c']) await acceptAndEnd(journal, id);
    expect((await journal.list({ limit: 9 })).map(({ id }) => id)).toEqual(['c', 'b']);
    const logs = await Promise.all(['a', 'b', 'c'].map((id) => journal.read(id, -1, 9)));
    expect(logs.map(({ length }) => length)).toEqual([0, 1, 1]);
    await journal.close();
  });
});

describe('the journal on disk', () => {
  journalConformance(makeCase);

  test('a file of the first format gets the tables that it lacks', async () => {
    const path = freshPath();
    await new SqliteJournal({ path }).close();
    const old = new DatabaseSync(path);
    old.exec('drop index searches_session; alter table searches drop column session; drop table documents;');
    old.exec('drop table parts; alter table searches drop column runs; pragma user_version = 1;');
    old.close();
    const journal = new SqliteJournal({ path });
    expect(await journal.documents.list({ kind: 'file', limit: 1 })).toEqual([]);
    await journal.close();
  });

  test('a second process on the same file is refused with the setting to change', async () => {
    const path = freshPath();
    const first = new SqliteJournal({ path });
    expect(() => new SqliteJournal({ path })).toThrowError(FaultError);
    expect(() => new SqliteJournal({ path })).toThrowError(/journal\.path/);
    await first.close();
  });

  test('texts that are not to be kept never reach the file, erased ones leave it', async () => {
    for (const texts of ['never', 'until-end'] as const) {
      const path = freshPath();
      const journal = new SqliteJournal({ path, texts });
      const request = { prompt: 'the-secret-question' };
      const about = { model: 'm' };
      const title = 'the-secret-question';
      await journal.accept({
        id: 'a',
        owner: 'o',
        fingerprint: 'f',
        background: false,
        createdMs: 0,
        about,
        title,
        request,
      });
      await journal.claim('a', 0, 0);
      const step = { text: 'the-secret-answer', tokens: 1, meanLogprob: 0, end: 'eos' } as const;
      const event = { type: 'grown', node: 1, key: 9, parent: 0, index: 0, step, terminal: true } as const;
      journal.append(1, { search: 'a', sequence: 0, atMs: 0, event });
      await journal.finish('a', 1, { state: 'done', endedMs: 1, outcome: {}, texts: { content: 'the-secret-answer' } });
      await journal.close();
      expect(readFileSync(path).includes('the-secret')).toBe(false);
    }
  });

  test('a write that the disk refuses is told to its caller and does not stop the next', async () => {
    const journal = new SqliteJournal({ path: freshPath() });
    const about = { loop: undefined as unknown };
    about.loop = about;
    const bad = {
      id: 'a',
      owner: 'o',
      fingerprint: 'f',
      background: true,
      createdMs: 0,
      about,
      title: '',
      request: {},
    };
    await expect(journal.accept(bad)).rejects.toThrowError(/journal\.path/);
    expect(await journal.accept({ ...bad, about: {} })).toEqual({ fresh: true });
    await journal.close();
  });
});

test("its files and the folder that it makes are the owner's alone; what others can read is told and left as it is", async () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const made = join(folder, 'made', 'below');
  const path = join(made, 'journal.db');
  const journal = new SqliteJournal({ path });
  await acceptAndEnd(journal, 'a');
  expect([join(folder, 'made'), made, path, `${path}-wal`].map(modeOf)).toEqual(['700', '700', '600', '600']);
  expect(readableByOthers(path)).toBeUndefined();
  chmodSync(`${path}-wal`, 0o644);
  expect(readableByOthers(path)).toBeUndefined();
  chmodSync(made, 0o755);
  expect(readableByOthers(path)).toBe(
    `other users of this machine can read ${path}-wal, texts of clients included; chmod 600 ends it`,
  );
  await journal.close();
  expect(modeOf(made)).toBe('755');
});

test('a long log is taken out in slices, other writes in between, and is gone at the end', async () => {
  const journal = new SqliteJournal({ path: freshPath() });
  await journal.accept({ ...fresh, id: 'long' });
  await journal.claim('long', 0, 0);
  for (let sequence = 0; sequence < 5000; sequence += 1)
    journal.append(1, { search: 'long', sequence, atMs: 0, event: { type: 'submitted' } });
  await journal.finish('long', 1, { state: 'done', endedMs: 1, outcome: {}, texts: {} });
  const removed = journal.remove('long');
  await journal.accept({ ...fresh, id: 'between' });
  expect([(await journal.read('long', -1, 1)).length, await journal.find('long')]).toEqual([1, expect.anything()]);
  expect([await removed, await journal.remove('long')]).toEqual([true, false]);
  expect([await journal.find('long'), await journal.read('long', -1, 1)]).toEqual([undefined, []]);
  expect(await journal.find('between')).toBeDefined();
  await journal.close();
});

test('parts of a file that a crash kept from being made are gone after the next start; those of a whole one stay', async () => {
  const path = freshPath();
  const journal = new SqliteJournal({ path });
  await journal.documents.add({ ...batch, id: 'whole' }, ['a', 'b']);
  await journal.close();
  const file = new DatabaseSync(path);
  file.exec("insert into parts values ('half', 0, 'x'), ('half', 1, 'y')");
  file.close();
  await new SqliteJournal({ path }).close();
  const after = new DatabaseSync(path);
  const left = after.prepare('select document, part from parts').all();
  after.close();
  expect(left.map((row) => ({ ...row }))).toEqual([
    { document: 'whole', part: 0 },
    { document: 'whole', part: 1 },
  ]);
});
