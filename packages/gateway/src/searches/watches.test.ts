import { expect, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { ManualTimers } from '../../../../tests/support/manual-timers.ts';
import { post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { turn } from '../../../../tests/support/until.ts';
import type { SearchPlan } from '../../../core/src/answering/plan/search-plan.ts';
import { FaultError, fault } from '../../../core/src/base/fault.ts';
import type { Journal, JournalListener, SearchRecord } from '../../../core/src/journal/journal.ts';
import { SqliteJournal } from '../../../core/src/journal/sqlite/sqlite-journal.ts';
import { hasEvent, type LogEntry } from '../../../core/src/log/entry.ts';
import type { LiveSearch } from './live-search.ts';
import { searchOf } from './live-search.ts';
import { Watches } from './watches.ts';

async function endedSearch(): Promise<{ record: SearchRecord; entries: LogEntry[] }> {
  const { url, journal } = await runGateway();
  const { id } = (await (await post(`${url}/v1/searches`, question)).json()) as Loose;
  return { record: (await journal.find(id))!, entries: await journal.read(id, -1, 9999) };
}

/** A database that cannot be read until the test says so. */
class AwayJournal extends SqliteJournal {
  isAway = true;
  readonly #record: SearchRecord;
  readonly #entries: readonly LogEntry[];
  listener: JournalListener | undefined;

  constructor(record: SearchRecord, entries: readonly LogEntry[]) {
    super({ path: ':memory:' });
    this.#record = record;
    this.#entries = entries;
  }

  override listen(listener: JournalListener): void {
    this.listener = listener;
  }

  override async find(): ReturnType<Journal['find']> {
    if (this.isAway) throw new FaultError(fault('unavailable', 'the database cannot be used'));
    return this.#record;
  }

  override async read(_: string, after: number): ReturnType<Journal['read']> {
    return this.#entries.filter(({ sequence }) => sequence > after);
  }
}

// Another node had begun the search before this one resumed it, and the client's own node has not read that beginning yet.
test.each(['its last word', 'its end'])('a client hears the whole log although %s comes first', async (first) => {
  const { record, entries } = await endedSearch();
  const exited = entries.find((entry) => hasEvent(entry, 'exited'))!;
  const here = searchOf(record, record.request?.plan as SearchPlan);
  const { outcome, texts } = record as Loose;
  const ended = { state: 'done', endedMs: 9, result: { outcome, texts }, error: undefined } as const;
  here.end(ended);
  let found: LiveSearch | undefined = here;
  const journal = new AwayJournal(record, entries);
  const timers = new ManualTimers();
  const watches = new Watches({
    journal,
    clock: { nowMs: () => 0 },
    timers,
    findHere: () => found,
    endUnclaimed: async () => {},
  });
  const watched = watches.follow(here.facts);
  watches.logged(exited);
  if (first === 'its last word') journal.listener?.durable?.(record.id, exited.sequence);
  else watches.ended(record.id, ended, undefined);
  await turn();
  expect(watched.isTold).toBe(false);
  // The search does not run here any more, and the database is back.
  found = undefined;
  journal.isAway = false;
  timers.advance(5000);
  await watched.wait();
  expect(watched.fold.sequence).toBe(entries.at(-1)?.sequence);
  expect(watched.ended?.result).toMatchObject({ texts });
  watches.close();
});
