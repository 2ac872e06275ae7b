// What a PostgreSQL does to a node beside restarting: it is replaced by another server, its disk is full, it has no
// connection left. Whatever happens, a log is dense, nothing is written twice, and all goes on alone.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { NewSearch } from '../../packages/core/src/journal/journal.ts';
import type { LoggedEvent } from '../../packages/core/src/log/events.ts';
import { connect } from '../../packages/postgres/src/journal/connection.ts';
import { PostgresJournal } from '../../packages/postgres/src/journal/postgres-journal.ts';
import { migrate } from '../../packages/postgres/src/journal/schema.ts';
import { CutLine } from '../support/cut-line.ts';
import { hasPostgres, startPostgres, type TestDatabase, type TestDatabaseOptions } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { wholeLog } from '../support/whole-log.ts';

interface Opened {
  readonly database: TestDatabase;
  readonly line: CutLine;
  readonly journal: PostgresJournal;
  readonly lost: string[];
  /** Resolves when trouble begins, or, with `false`, is over. */
  troubled(isTroubled: boolean): Promise<void>;
}

/** A journal that reaches its server by a line, with a search in it that has one entry. */
async function open(settings: TestDatabaseOptions = {}): Promise<Opened> {
  const database = startPostgres(settings);
  const line = new CutLine(database.url);
  const options = { url: line.url, urlEnv: 'DATABASE_URL', schema: 'coppice', flushMs: 2 };
  const client = await connect(options);
  await migrate(client, options.schema);
  await client.end();
  const journal = await PostgresJournal.open(options);
  const lost: string[] = [];
  journal.listen({ lost: (id) => lost.push(id) });
  onTestFinished(async () => {
    await journal.close();
    line.close();
    database.remove();
  });
  await journal.accept(search('a'));
  await journal.claim('a', 0, 1);
  journal.append(1, entry('a', 0));
  await journal.flush();
  return { database, line, journal, lost, troubled: (isTroubled) => trouble(journal, isTroubled) };
}

function trouble(journal: PostgresJournal, isTroubled: boolean): Promise<void> {
  return until(async () => (journal.trouble !== undefined) === isTroubled);
}

/** Whether whoever follows it has all that it has. */
async function hasFollowed({ url }: TestDatabase): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql = 'select bool_and(replay_lsn >= pg_current_wal_flush_lsn()) as whole from pg_stat_replication';
  const { rows } = await client.query(sql);
  await client.end();
  return rows[0]?.whole === true;
}

function search(id: string): NewSearch {
  return { id, owner: 'ann', fingerprint: 'f', background: true, createdMs: 1, about: {}, title: 't', request: {} };
}

function entry(id: string, sequence: number, words = ''): LoggedEvent {
  const event = { type: 'moved', strand: 0, node: sequence, words } as LoggedEvent['event'];
  return { search: id, sequence, atMs: 1, event };
}

const ending = { state: 'done', endedMs: 9, outcome: {}, texts: {} } as const;
const sequences = async (journal: PostgresJournal) => (await wholeLog(journal, 'a')).map((each) => each.sequence);

describe.skipIf(!hasPostgres)('a database', () => {
  test('that fails over to a standby with every commit loses nothing, and nothing is written twice', async () => {
    const { database, line, journal, lost, troubled } = await open();
    const standby = database.copy('following');
    onTestFinished(() => standby.remove());
    for (let at = 1; at < 50; at += 1) journal.append(1, entry('a', at));
    await journal.flush();
    // A busy server may wait for its standby only some commits after it was told to.
    await until(() => hasFollowed(database));
    line.cut();
    journal.append(1, entry('a', 50));
    database.remove();
    standby.promote();
    line.lead(standby.url);
    const finished = journal.finish('a', 1, ending);
    await troubled(false);
    expect(await finished).toBe(true);
    expect(await sequences(journal)).toEqual(Array.from({ length: 51 }, (_, at) => at));
    expect(lost).toEqual([]);
  });

  test('that comes back without its last commits tells whoever wrote them, and its logs stay dense', async () => {
    const { database, line, journal, lost } = await open();
    const older = database.copy('as it is');
    onTestFinished(() => older.remove());
    for (let at = 1; at < 10; at += 1) journal.append(1, entry('a', at));
    await journal.flush();
    line.lead(older.url);
    journal.append(1, entry('a', 10));
    await until(async () => lost.length > 0);
    expect(lost).toEqual(['a']);
    expect(await sequences(journal)).toEqual([0]);
    // Whoever takes it up goes on from what is there.
    expect(await journal.claim('a', 1, 2)).toBe(true);
    journal.append(2, entry('a', 1));
    expect(await journal.finish('a', 2, ending)).toBe(true);
    expect(await sequences(journal)).toEqual([0, 1]);
  });

  test('without a connection left refuses reading, writes what it has one for, and comes back alone', async () => {
    const { database, journal } = await open({ settings: ['max_connections=12', 'superuser_reserved_connections=0'] });
    const hogs: pg.Client[] = [];
    for (;;) {
      const hog = new pg.Client({ connectionString: database.url });
      hog.on('error', () => {});
      if (
        !(await hog.connect().then(
          () => true,
          () => false,
        ))
      )
        break;
      hogs.push(hog);
    }
    await expect(journal.find('a')).rejects.toThrow(/unavailable: the database cannot be used: [^\n]*too many clients/);
    journal.append(1, entry('a', 1));
    await journal.flush();
    const options = { url: database.url, urlEnv: 'DATABASE_URL', schema: 'coppice' };
    await expect(PostgresJournal.open(options)).rejects.toThrow(
      /unavailable: [^\n]*too many clients[^\n]*DATABASE_URL/,
    );
    await Promise.all(hogs.map((hog) => hog.end()));
    await until(async () => (await sequences(journal).catch(() => [])).length === 2);
    expect(await sequences(journal)).toEqual([0, 1]);
  });

  test('with a full disk holds what comes, refuses what clients wait for, and takes all of it afterwards', async (context) => {
    const mount = mkdtempSync(join(tmpdir(), 'coppice-small-'));
    onTestFinished(() => rmSync(mount, { recursive: true, force: true }));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=120m,mode=777', 'none', mount]);
    context.skip(status !== 0, 'no right to mount a small disk');
    onTestFinished(() => void execFileSync('umount', ['--lazy', mount]));
    const settings = ['min_wal_size=32MB', 'max_wal_size=32MB', 'wal_keep_size=0', 'shared_memory_type=mmap'];
    const { journal, lost, troubled } = await open({ fsync: true, settings, parent: mount });
    const filler = join(mount, 'filler');
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']);
    const words = 'x'.repeat(20_000);
    let last = 0;
    while (journal.trouble === undefined && last < 5000) {
      for (let burst = 0; burst < 100; burst += 1) {
        last += 1;
        journal.append(1, entry('a', last, words));
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(journal.trouble).toMatch(/the journal cannot be written/);
    await expect(journal.accept(search('b'))).rejects.toThrow(/cannot be written/);
    writeFileSync(filler, '');
    await troubled(false);
    expect(await journal.finish('a', 1, ending)).toBe(true);
    expect(await sequences(journal)).toEqual(Array.from({ length: last + 1 }, (_, at) => at));
    expect(lost).toEqual([]);
  });
});
