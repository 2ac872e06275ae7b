import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFillable } from '../../../../../tests/support/full-disk.ts';
import { wholeLog } from '../../../../../tests/support/whole-log.ts';
import type { LoggedEvent } from '../../log/events.ts';
import type { NewSearch } from '../journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-full-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function makeJournal(name: string, mostHeld = 1000) {
  const { journal, fill, free } = openFillable({ path: join(folder, name), mostHeld });
  const told: (string | undefined)[] = [];
  const lost: string[] = [];
  journal.listen({ trouble: (trouble) => told.push(trouble), lost: (search) => lost.push(search) });
  return { journal, told, lost, fill, free };
}

function search(id: string, background: boolean): NewSearch {
  const request = { prompt: 'p'.repeat(20_000) };
  return { id, owner: 'ann', fingerprint: 'f', background, createdMs: 1, about: {}, title: 't', request };
}

function entry(search: string, sequence: number): LoggedEvent {
  return { search, sequence, atMs: 1, event: { type: 'pruned', strand: 0, rule: 'x'.repeat(50_000), evidence: {} } };
}

const ending = { state: 'done', endedMs: 9, outcome: {}, texts: {} } as const;

test('a full disk holds what it can, refuses what is waited for, and all is written when there is room', async () => {
  const { journal, told, lost, fill, free } = makeJournal('held.db');
  fill();
  const accepted = journal.accept(search('a', false));
  const claimed = journal.claim('a', 0, 1);
  for (let at = 0; at < 5; at += 1) journal.append(1, entry('a', at));
  await expect(journal.flush()).rejects.toThrow(/journal\.path.*full/);
  await expect(journal.accept(search('b', true))).rejects.toThrow(/full/);
  const finished = journal.finish('a', 1, ending);
  expect(journal.trouble).toMatch(/held\.db cannot be written: database or disk is full; free the disk/);
  expect(told).toEqual([journal.trouble]);
  expect(journal.health()).toMatchObject({ unwritten: 8, commits: 0, failures: expect.any(Number) });
  expect(journal.health().oldestUnwrittenMs).toBeGreaterThan(0);
  free();
  await journal.flush();
  expect(await Promise.all([accepted, claimed, finished])).toEqual([{ fresh: true }, true, true]);
  expect(journal.trouble).toBeUndefined();
  expect([told.length, told[1], lost]).toEqual([2, undefined, []]);
  expect(await wholeLog(journal, 'a')).toHaveLength(5);
  expect((await journal.find('a'))?.state).toBe('done');
  expect(await journal.find('b')).toBeUndefined();
  expect(journal.health()).toMatchObject({ unwritten: 0, oldestUnwrittenMs: 0 });
  await journal.close();
});

test('trouble that only a refused write has shown ends by itself, and not before there is room', async () => {
  const { journal, fill, free } = makeJournal('probe.db');
  fill();
  await expect(journal.accept(search('a', true))).rejects.toThrow(/full/);
  // Nothing is held now: the next try is a probe.
  await expect(journal.accept(search('a', true))).rejects.toThrow(/full/);
  expect(journal.health().unwritten).toBe(0);
  expect(journal.trouble).toBeDefined();
  const over = new Promise<void>((resolve) => {
    journal.listen({ trouble: (trouble) => trouble === undefined && resolve() });
  });
  free();
  await over;
  expect(await journal.read('~probe', -1, 10)).toEqual([]);
  expect(await journal.accept(search('a', true))).toEqual({ fresh: true });
  await journal.close();
});

test('beyond the limit of what is held, its search is told that it cannot be kept; at the end the rest is counted', async () => {
  const { journal, told, fill } = makeJournal('limit.db', 3);
  const refused: string[] = [];
  journal.listen({ refused: (id) => refused.push(id) });
  void journal.accept(search('a', false)).catch(() => {});
  void journal.claim('a', 0, 1).catch(() => {});
  await journal.flush();
  fill();
  for (let at = 0; at < 3; at += 1) journal.append(1, entry('a', at));
  await expect(journal.flush()).rejects.toThrow(/full/);
  expect(refused).toEqual([]);
  journal.append(1, entry('a', 3));
  expect(refused).toEqual(['a']);
  await journal.close();
  expect(told.at(-1)).toMatch(/limit\.db was closed with 3 writes that it could not take/);
});
