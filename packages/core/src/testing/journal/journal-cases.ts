// The suite that every journal passes: the contract of journal/journal.ts, and of journal/documents.ts.

import assert from 'node:assert/strict';
import { Random } from '../../base/random.ts';
import { type Journal, pageChars, type TextKeeping } from '../../journal/journal.ts';
import { readLog } from '../../journal/read-log.ts';
import type { LogEntry } from '../../log/entry.ts';
import type { LoggedEvent } from '../../log/events.ts';
import {
  type Check,
  type Checks,
  type ConformanceCase,
  casesOf,
  closeAfter,
  type Skips,
} from '../case/conformance-case.ts';
import { matches, same } from '../case/same.ts';
import { documentChecks } from './document-checks.ts';
import { anyEvent, bareGrown, document, ending, entry, grown, log, search } from './samples.ts';

export interface JournalHarness {
  /** An empty journal; the suite closes it. */
  open(texts: TextKeeping): Journal | Promise<Journal>;
  /** Closes it and opens what it left. A journal that does not outlive its process skips the case that needs this. */
  reopen?(journal: Journal): Promise<Journal>;
}

type Prepare = () => JournalHarness | Promise<JournalHarness>;

/** `prepare` gives a place for one more journal. */
export function journalCases(prepare: Prepare, skips: Skips = {}): readonly ConformanceCase[] {
  const onFresh = Object.entries({ ...checks, ...documentChecks }).map(([name, check]): [string, Check<Prepare>] => [
    name,
    () => withJournal(prepare, 'keep', check),
  ]);
  return casesOf({ ...Object.fromEntries(onFresh), ...checksOfSeveral }, async (check) => check(prepare), skips);
}

async function withJournal(prepare: Prepare, texts: TextKeeping, check: Check<Journal>): Promise<void> {
  const harness = await prepare();
  const journal = await harness.open(texts);
  await closeAfter(
    () => check(journal),
    () => journal.close(),
  );
}

/** Collects the searches that the journal reports as lost. */
function lostOf(journal: Journal): readonly string[] {
  const lost: string[] = [];
  journal.listen({ lost: (id) => lost.push(id) });
  return lost;
}

const checks: Checks<Journal> = {
  'a search goes from queued over running to done, and the log comes back as it was written': async (journal) => {
    same(await journal.accept(search('a')), { fresh: true }, 'the acceptance of a new search');
    const queued = { state: 'queued', epoch: 0, request: { prompt: 'p of a' } };
    matches(await journal.find('a'), queued, 'the accepted search');
    same(await journal.claim('a', 0, 5), true, 'the first claim');
    for (const each of log('a', 3)) journal.append(1, each);
    same(await journal.finish('a', 1, ending()), true, 'its end');
    same(await journal.read('a', -1, 100), log('a', 3), 'the whole log');
    same(await journal.read('a', 0, 1), log('a', 3).slice(1, 2), 'one entry after the first');
    matches(await journal.find('a'), { epoch: 1, startedMs: 5, ...ending() }, 'the ended search');
  },

  'what is unknown is undefined, empty or false, never an error': async (journal) => {
    same(await journal.find('x'), undefined, 'find');
    same(await journal.read('x', -1, 10), [], 'read');
    same(await journal.claim('x', 0, 0), false, 'claim');
    same(await journal.finish('x', 1, ending()), false, 'finish');
    same(await journal.requestCancel('x'), false, 'requestCancel');
  },

  'the runs of a search are counted under its epoch, and one that its process outlived by any': async (journal) => {
    await journal.accept(search('a'));
    same(await journal.begin('a', 1, 1), false, 'a run before the claim');
    await journal.claim('a', 0, 1);
    same(await journal.begin('a', 1, 1), true, 'a run after the claim');
    await journal.claim('a', 1, 2);
    same(await journal.begin('a', 1, 7), false, 'a run of an older epoch');
    same(await journal.begin('a', 2, 2), true, 'a run of the next epoch');
    matches(await journal.find('a'), { epoch: 2, runs: 2 }, 'the search after two runs');
    for (const runs of [1, 0, 0]) {
      same(await journal.outlive('a'), true, 'a run taken back');
      matches(await journal.find('a'), { runs }, 'the search after a run was taken back');
    }
    await journal.finish('a', 2, ending());
    const after = [await journal.begin('a', 2, 1), await journal.outlive('a')];
    same(after, [false, false], 'begin and outlive after the end');
  },

  'an older epoch can write nothing and is told so': async (journal) => {
    const lost = lostOf(journal);
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    journal.append(1, entry('a', 0));
    same(await journal.claim('a', 0, 2), false, 'a claim at an older epoch');
    same(await journal.claim('a', 1, 2), true, 'a claim at the last epoch');
    journal.append(1, entry('a', 1));
    await journal.flush();
    same(lost, ['a'], 'the reports of a lost search');
    same(await journal.finish('a', 1, ending()), false, 'an end by an older epoch');
    journal.append(2, entry('a', 1));
    same(await journal.finish('a', 2, ending()), true, 'an end by the last epoch');
    same(await journal.read('a', -1, 10), log('a', 2), 'the log');
  },

  'a gap and a line after the end are dropped and told; a line that is there already is a success': async (journal) => {
    const lost = lostOf(journal);
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const at of [0, 0, 2, 1]) journal.append(1, entry('a', at));
    await journal.finish('a', 1, ending());
    for (const at of [1, 2]) journal.append(1, entry('a', at));
    await journal.flush();
    same(lost, ['a', 'a'], 'reports: one of the gap, one of the line after the end');
    same(await journal.read('a', -1, 10), log('a', 2), 'the log');
  },

  'a search ends only where its log has come as far as its writer says': async (journal) => {
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const each of log('a', 3)) journal.append(1, each);
    same(await journal.finish('a', 1, { ...ending(), lastSequence: 3 }), false, 'an end behind the log');
    matches(await journal.find('a'), { state: 'running' }, 'the search after it');
    same(await journal.finish('a', 1, { ...ending(), lastSequence: 2 }), true, 'an end at the last entry');
    matches(await journal.find('a'), { state: 'done' }, 'the search after that');
  },

  'a search ends once, and an ended one cannot be claimed or cancelled': async (journal) => {
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    const ends = await Promise.all([journal.finish('a', 1, ending()), journal.finish('a', 1, ending('failed'))]);
    same(ends, [true, false], 'two ends at a time');
    same(await journal.claim('a', 1, 2), false, 'a claim after the end');
    same(await journal.requestCancel('a'), false, 'a cancellation after the end');
    matches(await journal.find('a'), { state: 'done' }, 'the search');
  },

  'an idempotency key gives the same search to the same owner only': async (journal) => {
    same(await journal.accept({ ...search('a'), idempotencyKey: 'k' }), { fresh: true }, 'the first with a key');
    const again = await journal.accept({ ...search('b'), idempotencyKey: 'k', fingerprint: 'other' });
    same(again, { fresh: false, id: 'a', fingerprint: 'f' }, 'the second with the same key');
    same(await journal.find('b'), undefined, 'the second search');
    const foreign = await journal.accept({ ...search('c'), idempotencyKey: 'k', owner: 'else' });
    same(foreign, { fresh: true }, 'the same key of another owner');
    const both = [search('d'), search('e')].map((each) => journal.accept({ ...each, idempotencyKey: 'race' }));
    const fresh = (await Promise.all(both)).map((each) => each.fresh);
    same(fresh, [true, false], 'two with one key at a time');
  },

  'half of a character, or the character 0, keeps nothing from being written': async (journal) => {
    const odd = 'a\ud800\u0000z';
    const event = { type: 'settled', strand: 0, text: odd } as unknown as LoggedEvent['event'];
    await journal.accept({ ...search('a'), title: odd, request: { odd } });
    await journal.claim('a', 0, 1);
    journal.append(1, { search: 'a', sequence: 0, atMs: 1, event });
    const ended = await journal.finish('a', 1, { ...ending(), outcome: { odd }, texts: { odd } });
    same(ended, true, 'an end with odd texts');
    const found = await journal.find('a');
    matches(found, { request: { odd }, outcome: { odd }, texts: { odd } }, 'the odd texts');
    assert.match(found?.title ?? '', /^a.*z$/s, 'the title keeps what is around the odd characters');
    same(await journal.read('a', -1, 9), [{ search: 'a', sequence: 0, atMs: 1, event }], 'the log');
  },

  'cancel requests stay with the record': async (journal) => {
    await journal.accept(search('a'));
    same(await journal.requestCancel('a'), true, 'a cancellation');
    matches((await journal.unfinished())[0], { id: 'a', cancelRequested: true }, 'the record');
  },

  'lists are newest first, by owner and state, in pages, with no more of the texts than the answer': async (
    journal,
  ) => {
    for (const id of ['a', 'b', 'c', 'd']) await journal.accept({ ...search(id), owner: id === 'b' ? 'bob' : 'ann' });
    await journal.claim('d', 0, 1);
    const ids = async (query: Partial<Parameters<Journal['list']>[0]>) =>
      (await journal.list({ limit: 10, ...query })).map(({ id }) => id);
    same(await ids({}), ['d', 'c', 'b', 'a'], 'all');
    same(await ids({ owner: 'ann' }), ['d', 'c', 'a'], 'those of ann');
    same(await ids({ states: ['queued'], limit: 2 }), ['c', 'b'], 'two that are queued');
    same(await ids({ before: 'c' }), ['b', 'a'], 'those before c');
    const bare = { title: 't of d', request: undefined, texts: undefined };
    matches((await journal.list({ limit: 1 }))[0], bare, 'a listed search');
    const texts = { content: 'thus \u0000 24', reasoning_content: 'thoughts', answer: '2\u00004' };
    await journal.claim('c', 0, 1);
    await journal.finish('d', 1, { state: 'done', endedMs: 2, outcome: {}, texts });
    await journal.finish('c', 1, { state: 'done', endedMs: 2, outcome: {}, texts: { ...texts, answer: null } });
    const [d, c] = await journal.list({ limit: 2 });
    matches(d, { request: undefined, texts: { answer: texts.answer } }, 'a listed search with an answer');
    matches(c, { request: undefined, texts: { content: texts.content } }, 'a listed search without one');
    const unfinished = (await journal.unfinished()).map(({ id }) => id);
    same(unfinished, ['a', 'b'], 'unfinished searches');
  },

  'a session has the searches of its name, and the one whose id the name is, of any owner or of one': async (
    journal,
  ) => {
    const turn = (id: string, owner: string, session?: string) => journal.accept({ ...search(id), owner, session });
    await turn('a', 'ann');
    await turn('b', 'ann', 'a');
    await turn('c', 'bob', 'a');
    await turn('d', 'ann', 'other');
    const ids = async (query: Partial<Parameters<Journal['list']>[0]>) =>
      (await journal.list({ limit: 10, ...query })).map(({ id }) => id);
    same(await ids({ session: 'a' }), ['c', 'b', 'a'], 'the turns of everyone');
    same(await ids({ session: 'a', owner: 'ann' }), ['b', 'a'], 'those of ann');
    same(await ids({ session: 'a', owner: 'ann', before: 'b', limit: 1 }), ['a'], 'a page of them');
    same(await ids({ session: 'a', states: ['running'] }), [], 'those that run');
    same((await journal.find('b'))?.session, 'a', 'the name in a record');
    same((await journal.find('a'))?.session, undefined, 'the name in a record without one');
  },

  'what has ended comes by the time of its end, by owner, in pages that neither lose nor double what ended at once':
    async (journal) => {
      for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
        await journal.accept({ ...search(id), owner: id === 'b' ? 'bob' : 'ann' });
        if (id === 'e') continue;
        await journal.claim(id, 0, 1);
        await journal.finish(id, 1, { ...ending(), endedMs: at < 2 ? 30 : 20.5 });
      }
      const page = (query: Partial<Parameters<Journal['ended']>[0]>) =>
        journal.ended({ fromMs: 0, before: { endedMs: 100, id: '' }, limit: 10, ...query });
      const ids = async (query: Parameters<typeof page>[0]) => (await page(query)).map(({ id }) => id);
      same(await ids({}), ['b', 'a', 'd', 'c'], 'all that have ended');
      same(await ids({ owner: 'ann', fromMs: 20.5, limit: 2 }), ['a', 'd'], 'two of ann');
      same(await ids({ before: { endedMs: 30, id: 'a' } }), ['d', 'c'], 'those before a');
      same(await ids({ before: { endedMs: 20.5, id: 'd' } }), ['c'], 'those before d');
      same(await ids({ fromMs: 20.6 }), ['b', 'a'], 'those since 20.6 ms');
      const { about } = search('b');
      const { outcome } = ending();
      const expected = [{ id: 'b', owner: 'bob', state: 'done', createdMs: 1, endedMs: 30, about, outcome }];
      same(await page({ limit: 1 }), expected, 'a page of one');
    },

  'retention takes the aged and the surplus, oldest first, never one that runs': async (journal) => {
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      await journal.accept({ ...search(id), idempotencyKey: id });
      await journal.claim(id, 0, 1);
      journal.append(1, entry(id, 0));
      if (id !== 'a') await journal.finish(id, 1, { ...ending(), endedMs: at * 10 });
    }
    same(await journal.sweep({ endedBeforeMs: 15, keepSearches: 100, atMost: 10 }), 1, 'searches that are too old');
    same(await journal.find('b'), undefined, 'the oldest');
    same(await journal.read('b', -1, 10), [], 'the log of the oldest');
    same(await journal.sweep({ endedBeforeMs: 0, keepSearches: 2, atMost: 10 }), 1, 'searches that are too many');
    const left = (await journal.list({ limit: 10 })).map(({ id }) => id);
    same(left, ['d', 'a'], 'searches that are left');
    same(await journal.sweep({ endedBeforeMs: 1e9, keepSearches: 0, atMost: 10 }), 1, 'all that may go');
    matches(await journal.find('a'), { state: 'running' }, 'the one that runs');
    const again = await journal.accept({ ...search('e'), idempotencyKey: 'b' });
    same(again, { fresh: true }, 'a key of a search that went');
  },

  'a search that has ended can be taken out, log and all': async (journal) => {
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const each of log('a', 3)) journal.append(1, each);
    same(await journal.remove('a'), false, 'the removal of one that runs');
    await journal.finish('a', 1, { state: 'done', endedMs: 9, outcome: {}, texts: {} });
    const removed = [await journal.remove('a'), await journal.remove('a')];
    same(removed, [true, false], 'a removal, and a second one');
    same(await journal.find('a'), undefined, 'the search');
    same(await journal.read('a', -1, 10), [], 'its log');
  },

  'a listener hears of every entry once it can be read': async (journal) => {
    const heard: number[] = [];
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    journal.listen({ durable: (_, sequence) => heard.push(sequence) });
    for (const each of log('a', 5)) journal.append(1, each);
    await journal.flush();
    same(heard.at(-1), 4, 'the last sequence that was heard');
    same(await journal.read('a', 3, 10), [entry('a', 4)], 'the last entry');
  },

  'pages of a log or a file are bounded by their characters, and lead to the end all the same': async (journal) => {
    const texts = Array.from({ length: 40 }, (_, at) => `${at} `.padEnd(pageChars / 4, 'x'));
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const [sequence, text] of texts.entries())
      journal.append(1, { search: 'a', sequence, atMs: 1, event: { type: 'settled', text } as never });
    await journal.flush();
    const read: string[] = [];
    for await (const page of readLog(journal, 'a'))
      read.push(...page.map(({ event }) => (event as unknown as { text: string }).text));
    assert.ok(
      texts.length === read.length && texts.every((text, at) => read[at] === text),
      'a log in pages is not whole',
    );
    await journal.documents.add(document('file-9'), texts);
    const parts = await journal.documents.parts('file-9', -1, 100);
    assert.ok(
      parts.every(({ text }, at) => text === texts[at]),
      'the first page of a file has other parts than were written',
    );
    const last = await journal.documents.parts('file-9', 38, 100);
    same([parts.length, last.length], [4, 1], 'parts of the first page and of the last');
  },
};

const checksOfSeveral: Checks<Prepare> = {
  'an entry of several events comes back whole, with its texts or without': async (prepare) => {
    const together = ({ event, ...rest }: LoggedEvent): LogEntry => ({
      ...rest,
      event: { type: 'moved', strand: 0, node: 1 },
      more: [event, { type: 'closed', strand: 0, closing: 'completed' }, event],
    });
    for (const texts of ['keep', 'until-end', 'never'] as const)
      await withJournal(prepare, texts, async (journal) => {
        await journal.accept(search('a'));
        await journal.claim('a', 0, 1);
        const [whole, bare] = [together(grown('a', 0)), together(bareGrown('a', 0))];
        const next = { ...grown('a', 1), more: [entry('a', 1).event] };
        journal.append(1, whole);
        journal.append(1, next);
        await journal.flush();
        const kept = texts === 'never' ? [bare, { ...next, ...bareGrown('a', 1) }] : [whole, next];
        same(await journal.read('a', -1, 10), kept, `the log, texts '${texts}'`);
        same(await journal.read('a', 0, 10), kept.slice(1), `the log after the first entry, texts '${texts}'`);
        journal.append(1, whole);
        await journal.finish('a', 1, { ...ending(), lastSequence: 1 });
        const [first] = await journal.read('a', -1, 1);
        same(first, texts === 'keep' ? whole : bare, `the first entry after the end, texts '${texts}'`);
      });
  },

  'texts: kept until the end or never, and the facts stay': async (prepare) => {
    for (const texts of ['until-end', 'never'] as const)
      await withJournal(prepare, texts, async (journal) => {
        await journal.accept(search('a'));
        await journal.claim('a', 0, 1);
        journal.append(1, grown('a', 0));
        await journal.flush();
        const before = texts === 'never' ? bareGrown('a', 0) : grown('a', 0);
        same(await journal.read('a', -1, 10), [before], `the log before the end, texts '${texts}'`);
        await journal.finish('a', 1, ending());
        same(await journal.read('a', -1, 10), [bareGrown('a', 0)], `the log after the end, texts '${texts}'`);
        const erased = { title: undefined, request: undefined, texts: undefined, outcome: ending().outcome };
        matches(await journal.find('a'), erased, `the ended search, texts '${texts}'`);
      });
  },

  'any events come back as they were, in any interleaving of searches': async (prepare) => {
    for (let seed = 0; seed < 20; seed += 1)
      await withJournal(prepare, 'keep', (journal) => interleave(journal, new Random('any events', seed)));
  },

  'what was accepted and appended is there after a restart': async (prepare) => {
    const harness = await prepare();
    assert.ok(harness.reopen, 'without `reopen` in the harness, skip this case and say why');
    let journal = await harness.open('keep');
    const check = async () => {
      await journal.accept(search('a'));
      await journal.claim('a', 0, 1);
      for (const each of log('a', 4)) journal.append(1, each);
      journal = await harness.reopen!(journal);
      same(await journal.read('a', -1, 10), log('a', 4), 'the log');
      const unfinished = (await journal.unfinished()).map(({ id, state, epoch }) => ({ id, state, epoch }));
      same(unfinished, [{ id: 'a', state: 'running', epoch: 1 }], 'unfinished searches');
      same(await journal.claim('a', 1, 9), true, 'a claim by the next process');
      matches(await journal.find('a'), { startedMs: 1 }, 'the search, which keeps its first start');
    };
    await closeAfter(check, () => journal.close());
  },
};

/** Appends events to four searches in any order. */
async function interleave(journal: Journal, random: Random): Promise<void> {
  const logs = new Map<string, LoggedEvent[]>(['0', '1', '2', '3'].map((id) => [id, []]));
  await Promise.all(
    [...logs.keys()].flatMap((id) => [journal.accept(search(id)), journal.claim(id, 0, 0), journal.flush()]),
  );
  for (let left = random.integer(31); left > 0; left -= 1) {
    const id = String(random.integer(4));
    const entries = logs.get(id)!;
    entries.push({ search: id, sequence: entries.length, atMs: 1.5, event: anyEvent(random) });
    journal.append(1, entries.at(-1)!);
  }
  await journal.flush();
  for (const [id, entries] of logs) same(await journal.read(id, -1, 100), entries, `the log of search ${id}`);
}
