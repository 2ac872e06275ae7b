import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
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

  test('a place that cannot be opened, or is something else, is one line too', async () => {
    expect(() => new SqliteJournal({ path: folder })).toThrow(/cannot be opened: .*set journal\.path/);
    const { DatabaseSync } = await import('node:sqlite');
    const path = join(folder, 'other.db');
    const other = new DatabaseSync(path);
    other.exec('create table mine (a); pragma user_version = 1;');
    other.close();
    expect(() => new SqliteJournal({ path })).toThrow(/is not a journal of coppice \(no such table/);
    expect(existsSync(`${path}.damaged-1`)).toBe(false);
  });
});
