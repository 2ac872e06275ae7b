import { expect, test } from 'vitest';
import { VirtualClock } from '../base/clock.ts';
import { auditSamples } from '../tree/readings/audit.ts';
import { Audits } from './audits.ts';
import type { Ending, FinishedSearch } from './journal.ts';
import { SqliteJournal } from './sqlite/sqlite-journal.ts';

const audit = auditSamples([...'aaabb'].map((meaning) => ({ meaning, score: meaning === 'a' ? 0.8 : 0.3 })))!;

async function end(journal: SqliteJournal, id: string, endedMs: number, about: object = {}, found: object = { audit }) {
  const facts = { owner: 'ann', fingerprint: 'f', background: true, createdMs: 1, title: 't', request: {} };
  await journal.accept({ id, ...facts, about: { model: 'm', mode: 'search', ...about } });
  await journal.claim(id, 0, 1);
  const ending: Ending = { state: 'done', endedMs, outcome: { ...found }, texts: {} };
  expect(await journal.finish(id, 1, ending)).toBe(true);
  // A writer that heard no answer writes again, and one that lost the search writes too.
  expect(await journal.finish(id, 1, ending)).toBe(false);
}

test('rows are there once, for every reader, whatever it had read before and however late they come', async () => {
  const journal = new SqliteJournal({ path: ':memory:' });
  const clock = new VirtualClock(0);
  const early = new Audits(journal, clock);
  for (let at = 0; at < 60; at += 1) {
    // The clocks of two nodes differ.
    await end(journal, `s${at}`, 1000 * at + (at % 2) * 30_000);
    if (at % 7 === 0) await early.refresh();
  }
  await end(journal, 'of other weights', 40_001, { weights: 'step-2' });
  await end(journal, 'of another judge', 40_002, {}, { audit: { ...audit, judge: 'other' } });
  await end(journal, 'without search', 40_003, { mode: 'direct' });
  await end(journal, 'of a former version', 40_004, {}, {});
  const late = new Audits(journal, clock);
  await Promise.all([early.refresh(), late.refresh()]);
  for (const each of [early, late]) {
    expect(each.of('m', undefined, undefined).judge).toEqual({ questions: 60, agreement: 1, trust: 1 });
    expect(each.of('m', 'step-2', undefined).judge).toEqual({ questions: 1 });
    expect(each.of('m', undefined, 'other').judge).toEqual({ questions: 1 });
    expect([...each.latest()]).toEqual([['m', each.of('m', undefined, undefined).judge]]);
  }
  await journal.remove('s3');
  clock.moveTo(3_600_000);
  await early.refresh();
  expect(early.of('m', undefined, undefined).judge.questions).toBe(59);
  await journal.close();
});

test('only the newest are read, and what was read is not read again', async () => {
  const row = (at: number): FinishedSearch => {
    const about = { model: 'm', mode: 'search' };
    return { id: `s${at}`, owner: 'ann', state: 'done', createdMs: 0, endedMs: at * 1000, about, outcome: { audit } };
  };
  let [last, pages] = [50_000, 0];
  const ended = async ({ fromMs, before, limit }: Parameters<SqliteJournal['ended']>[0]) => {
    pages += 1;
    const first = Math.min(last, Math.ceil(before.endedMs / 1000) - 1);
    const rows = Array.from({ length: limit }, (_, at) => row(first - at));
    return rows.filter(({ endedMs }) => endedMs >= fromMs);
  };
  const audits = new Audits({ ended }, new VirtualClock(0));
  await audits.refresh();
  expect(pages).toBe(200);
  last += 10;
  await audits.refresh();
  expect(pages).toBe(202);
  expect(audits.of('m', undefined, undefined).judge.questions).toBe(4000);
});
