import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';
import { SqliteJournal } from './sqlite-journal.ts';
import { findWalDamage } from './wal.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-damage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a journal as a crash leaves them, with so many searches in its log, one commit each. */
async function crashed(name: string, searches: number): Promise<string> {
  const [live, path] = [join(folder, `${name}-live.db`), join(folder, `${name}.db`)];
  const journal = new SqliteJournal({ path: live });
  for (let at = 0; at < searches; at += 1) await accept(journal, `s${at}`);
  copyFileSync(live, path);
  copyFileSync(`${live}-wal`, `${path}-wal`);
  await journal.close();
  return path;
}

function accept(journal: SqliteJournal, id: string) {
  const fresh = { owner: 'o', fingerprint: 'f', background: true, createdMs: 0, about: {}, title: '', request: {} };
  return journal.accept({ id, ...fresh });
}

function spoil(path: string, offset: number, bytes: number): void {
  const file = readFileSync(path);
  file.fill(0xa5, offset, offset + bytes);
  writeFileSync(path, file);
}

async function open(path: string, damaged: 'refuse' | 'set-aside') {
  const told: string[] = [];
  const journal = new SqliteJournal({ path, damaged, onDamage: (message) => told.push(message) });
  const searches = (await journal.list({ limit: 500 })).length;
  await journal.close();
  return { told, searches };
}

describe('a journal whose log is damaged', () => {
  test('is sound after a crash, whatever the crash cut off', async () => {
    const path = await crashed('sound', 40);
    expect(findWalDamage(`${path}-wal`)).toBeUndefined();
    const whole = readFileSync(`${path}-wal`);
    for (const cut of [1, 30, 5000, whole.length - 32, whole.length - 10]) {
      writeFileSync(`${path}-wal`, whole.subarray(0, whole.length - cut));
      expect(findWalDamage(`${path}-wal`)).toBeUndefined();
    }
    // What follows the end is of an older log, or garbage that was never committed.
    writeFileSync(`${path}-wal`, Buffer.concat([whole, Buffer.alloc(5000, 7)]));
    expect(findWalDamage(`${path}-wal`)).toBeUndefined();
    expect(await open(path, 'refuse')).toEqual({ told: [], searches: 40 });
  });

  test('5 kB of garbage in its middle do not go without a word, and nothing is overwritten', async () => {
    const path = await crashed('middle', 40);
    const bytes = readFileSync(`${path}-wal`).length;
    spoil(`${path}-wal`, Math.floor(bytes / 2), 5000);
    const damaged = readFileSync(`${path}-wal`);
    for (let again = 0; again < 2; again += 1) {
      expect(() => new SqliteJournal({ path })).toThrow(/-wal is damaged at byte \d+, and the \d+ commits behind/);
    }
    expect(readFileSync(`${path}-wal`).equals(damaged)).toBe(true);
    const { told, searches } = await open(path, 'set-aside');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/a copy is kept as .*middle\.db\.damaged-1,/);
    expect(searches).toBeGreaterThan(5);
    expect(searches).toBeLessThan(40);
    expect(readFileSync(`${path}.damaged-1-wal`).equals(damaged)).toBe(true);
  });

  test('a header that is garbage takes the whole log along, and is told', async () => {
    const path = await crashed('header', 10);
    spoil(`${path}-wal`, 0, 16);
    expect(() => new SqliteJournal({ path })).toThrow(/everything in it cannot be read/);
  });

  test('a torn last commit is told, and does not end the start', async () => {
    const path = await crashed('torn', 10);
    const bytes = readFileSync(`${path}-wal`).length;
    // In the page of the last frame, so that its header still says what it was.
    spoil(`${path}-wal`, bytes - 100, 50);
    const { told, searches } = await open(path, 'refuse');
    expect(told[0]).toMatch(/the last commit of the journal .* is torn/);
    expect(searches).toBe(9);
  });
});

describe('a journal whose file is damaged', () => {
  async function closed(name: string): Promise<string> {
    const path = join(folder, `${name}.db`);
    const journal = new SqliteJournal({ path });
    for (let at = 0; at < 200; at += 1) void accept(journal, `s${at}`);
    await journal.close();
    return path;
  }

  test.each([
    ['no database', 0, 200, /file is not a database/],
    ['broken pages', 4096 * 2, 4096 * 3, /damaged \(/],
  ])('%s: refused in one line, or kept aside under a name', async (name, offset, bytes, reason) => {
    const path = await closed(name.replace(' ', '-'));
    spoil(path, offset, bytes);
    const damaged = readFileSync(path);
    expect(() => new SqliteJournal({ path })).toThrow(reason);
    expect(() => new SqliteJournal({ path })).toThrow(/^[^\n]*set journal\.damaged to set-aside$/);
    const { told, searches } = await open(path, 'set-aside');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/it is kept as .*\.damaged-1, and a new journal is begun/);
    expect(searches).toBe(0);
    expect(readFileSync(`${path}.damaged-1`).equals(damaged)).toBe(true);
    expect((await open(path, 'refuse')).told).toEqual([]);
  });

  test('a place that cannot be opened, or is something else, is one line too', () => {
    expect(() => new SqliteJournal({ path: folder })).toThrow(/cannot be opened: .*set journal\.path/);
    const path = join(folder, 'other.db');
    const other = new DatabaseSync(path);
    other.exec('create table mine (a); pragma user_version = 1;');
    other.close();
    expect(() => new SqliteJournal({ path })).toThrow(/is not a journal of coppice \(no such table/);
    expect(existsSync(`${path}.damaged-1`)).toBe(false);
  });

  test('a database of another program gets no tables of ours', () => {
    const path = join(folder, 'mine.db');
    const mine = new DatabaseSync(path);
    mine.exec('create table mine (a)');
    mine.close();
    expect(() => new SqliteJournal({ path })).toThrow(
      /^bad-setting: .*mine\.db is not a journal of coppice .*set journal\.path$/,
    );
    const other = new DatabaseSync(path);
    expect(other.prepare('select name from sqlite_schema').all()).toEqual([{ name: 'mine' }]);
    other.close();
  });
});

describe('a journal with a row that cannot be read', () => {
  /** Searches s0 to s2 and two open batches, closed, with one value overwritten. */
  async function withRow(name: string, table: string, id: string, column: string, value: string): Promise<string> {
    const path = join(folder, `${name}.db`);
    const journal = new SqliteJournal({ path });
    for (const each of ['s0', 's1', 's2']) await accept(journal, each);
    const batch = { kind: 'batch', owner: 'o', createdMs: 0, open: true, expiresMs: undefined, facts: {} } as const;
    for (const each of ['b0', 'b1']) await journal.documents.add({ id: each, ...batch });
    await journal.close();
    onRow(path, `update ${table} set ${column} = '${value}' where id = '${id}'`);
    return path;
  }

  function onRow(path: string, sql: string): unknown {
    const database = new DatabaseSync(path);
    const row = database.prepare(sql).get();
    database.close();
    return row;
  }

  test.each([
    ['searches', 's1', 'request', '{"plan":'],
    ['searches', 's1', 'about', '5'],
    ['documents', 'b1', 'facts', 'nonsense'],
  ])(
    '%s %s %s: refused in one line that names it, or left as it is and gone around',
    async (table, id, column, value) => {
      const path = await withRow(`${table}-${column}`, table, id, column, value);
      const what = `table ${table}, id ${id}: column ${column} holds no JSON object`;
      const line = `the journal ${path} is damaged (${what}); mend the row, or set journal.damaged to set-aside`;
      for (let again = 0; again < 2; again += 1)
        expect(() => new SqliteJournal({ path })).toThrow(`unavailable: ${line}`);
      const told: string[] = [];
      const journal = new SqliteJournal({ path, damaged: 'set-aside', onDamage: (message) => told.push(message) });
      expect(told).toEqual([expect.stringContaining(`${path} is damaged (${what}); the row stays as it is`)]);
      const left = (ids: readonly string[]) => ids.filter((each) => each !== id);
      expect((await journal.unfinished()).map((each) => each.id)).toEqual(left(['s0', 's1', 's2']));
      expect((await journal.documents.opened('batch')).map((each) => each.id)).toEqual(left(['b0', 'b1']));
      expect(await journal.list({ limit: 9 })).toHaveLength(3);
      await journal.close();
      expect(onRow(path, `select ${column} as held from ${table} where id = '${id}'`)).toEqual({ held: value });
      // It is told once: the next start has nothing to look at.
      expect(await open(path, 'refuse')).toEqual({ told: [], searches: 3 });
    },
  );

  test('several are one line, and a line each where they are set aside', async () => {
    const path = await withRow('several', 'searches', 's0', 'request', '{');
    onRow(path, "update searches set about = '[]' where id = 's2'");
    expect(() => new SqliteJournal({ path })).toThrow(/table searches, id s0: [^\n]*, and 1 rows more\); mend the row/);
    expect((await open(path, 'set-aside')).told).toHaveLength(2);
  });

  test('damaged while it is open, it is the only one that cannot be read', async () => {
    const path = await withRow('later', 'searches', 's1', 'epoch', '0');
    let hand: DatabaseSync | undefined;
    const told: string[] = [];
    const journal = new SqliteJournal({
      path,
      onDamage: (message) => told.push(message),
      open: (...given) => {
        hand = openDatabase(...given);
        return hand;
      },
    });
    await journal.claim('s0', 0, 1);
    journal.append(1, { search: 's0', sequence: 0, atMs: 1, event: { type: 'submitted' } });
    await journal.flush();
    hand?.exec("update searches set about = '{' where id = 's1'; update documents set facts = '' where id = 'b0'");
    hand?.exec("update events set body = 'null' where search = 's0'");
    const error = { message: expect.stringMatching(/table searches, id s1: column about/), code: 'internal' };
    const spoilt = { id: 's1', state: 'failed', endedMs: 0, outcome: { error: expect.objectContaining(error) } };
    expect(await journal.find('s1')).toMatchObject(spoilt);
    expect((await journal.list({ limit: 9 })).map(({ id, state }) => [id, state])).toEqual([
      ['s2', 'queued'],
      ['s1', 'failed'],
      ['s0', 'running'],
    ]);
    expect((await journal.unfinished()).map(({ id }) => id)).toEqual(['s0', 's2']);
    await expect(journal.read('s0', -1, 9)).rejects.toThrow(
      'damaged: table events, search s0, sequence 0: column body holds no JSON object',
    );
    await expect(journal.documents.find('b0')).rejects.toThrow('damaged: table documents, id b0: column facts');
    for (let again = 0; again < 2; again += 1)
      expect((await journal.documents.list({ kind: 'batch', limit: 9 })).map(({ id }) => id)).toEqual(['b1']);
    expect(told).toEqual(['table documents, id b0: column facts holds no JSON object']);
    await journal.close();
  });
});
