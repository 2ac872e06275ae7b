// What every journal must do. An implementation calls this from its own test file with a way to open a fresh one; those
// that outlive their process also say how to open the same one again.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NewDocument } from '../../src/journal/documents.ts';
import { type Ending, type Journal, type NewSearch, pageChars, type TextKeeping } from '../../src/journal/journal.ts';
import type { LogEntry } from '../../src/log/entry.ts';
import type { LoggedEvent } from '../../src/log/events.ts';
import { wholeLog } from '../support/whole-log.ts';

export interface JournalCase {
  open(texts: TextKeeping): Journal | Promise<Journal>;
  /** Closes it and opens what it left; undefined where nothing outlives the process. */
  reopen?(journal: Journal): Promise<Journal>;
}

export function journalConformance(makeCase: () => JournalCase | Promise<JournalCase>): void {
  const fresh = async (texts: TextKeeping = 'keep') => (await makeCase()).open(texts);

  test('a search goes from queued over running to done, and the log comes back as it was written', async () => {
    const journal = await fresh();
    expect(await journal.accept(search('a'))).toEqual({ fresh: true });
    expect(await journal.find('a')).toMatchObject({ state: 'queued', epoch: 0, request: { prompt: 'p of a' } });
    expect(await journal.claim('a', 0, 5)).toBe(true);
    for (const each of log('a', 3)) journal.append(1, each);
    expect(await journal.finish('a', 1, ending())).toBe(true);
    expect(await journal.read('a', -1, 100)).toEqual(log('a', 3));
    expect(await journal.read('a', 0, 1)).toEqual(log('a', 3).slice(1, 2));
    expect(await journal.find('a')).toMatchObject({ epoch: 1, startedMs: 5, ...ending() });
    await journal.close();
  });

  test('what is unknown is undefined, empty or false, never an error', async () => {
    const journal = await fresh();
    expect(await journal.find('x')).toBeUndefined();
    expect(await journal.read('x', -1, 10)).toEqual([]);
    expect(await journal.claim('x', 0, 0)).toBe(false);
    expect(await journal.finish('x', 1, ending())).toBe(false);
    expect(await journal.requestCancel('x')).toBe(false);
    await journal.close();
  });

  test('the runs of a search are counted under its epoch, and one that its process outlived by any', async () => {
    const journal = await fresh();
    await journal.accept(search('a'));
    expect(await journal.begin('a', 1, 1)).toBe(false);
    await journal.claim('a', 0, 1);
    expect(await journal.begin('a', 1, 1)).toBe(true);
    await journal.claim('a', 1, 2);
    expect(await journal.begin('a', 1, 7)).toBe(false);
    expect(await journal.begin('a', 2, 2)).toBe(true);
    expect(await journal.find('a')).toMatchObject({ epoch: 2, runs: 2 });
    for (const runs of [1, 0, 0]) {
      expect(await journal.outlive('a')).toBe(true);
      expect(await journal.find('a')).toMatchObject({ runs });
    }
    await journal.finish('a', 2, ending());
    expect([await journal.begin('a', 2, 1), await journal.outlive('a')]).toEqual([false, false]);
    await journal.close();
  });

  test('an older epoch can write nothing and is told so', async () => {
    const journal = await fresh();
    const lost: string[] = [];
    journal.listen({ lost: (id) => lost.push(id) });
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    journal.append(1, entry('a', 0));
    expect(await journal.claim('a', 0, 2)).toBe(false);
    expect(await journal.claim('a', 1, 2)).toBe(true);
    journal.append(1, entry('a', 1));
    await journal.flush();
    expect(lost).toEqual(['a']);
    expect(await journal.finish('a', 1, ending())).toBe(false);
    journal.append(2, entry('a', 1));
    expect(await journal.finish('a', 2, ending())).toBe(true);
    expect(await journal.read('a', -1, 10)).toEqual(log('a', 2));
    await journal.close();
  });

  test('a gap and a line after the end are dropped and told; a line that is there already is a success', async () => {
    const journal = await fresh();
    const lost: string[] = [];
    journal.listen({ lost: (id) => lost.push(id) });
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const at of [0, 0, 2, 1]) journal.append(1, entry('a', at));
    await journal.finish('a', 1, ending());
    for (const at of [1, 2]) journal.append(1, entry('a', at));
    await journal.flush();
    expect(lost).toEqual(['a', 'a']);
    expect(await journal.read('a', -1, 10)).toEqual(log('a', 2));
    await journal.close();
  });

  test('a search ends only where its log has come as far as its writer says', async () => {
    const journal = await fresh();
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const each of log('a', 3)) journal.append(1, each);
    expect(await journal.finish('a', 1, { ...ending(), lastSequence: 3 })).toBe(false);
    expect((await journal.find('a'))?.state).toBe('running');
    expect(await journal.finish('a', 1, { ...ending(), lastSequence: 2 })).toBe(true);
    expect((await journal.find('a'))?.state).toBe('done');
    await journal.close();
  });

  test('a search ends once, and an ended one cannot be claimed or cancelled', async () => {
    const journal = await fresh();
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    expect(await Promise.all([journal.finish('a', 1, ending()), journal.finish('a', 1, ending('failed'))])).toEqual([
      true,
      false,
    ]);
    expect(await journal.claim('a', 1, 2)).toBe(false);
    expect(await journal.requestCancel('a')).toBe(false);
    expect((await journal.find('a'))?.state).toBe('done');
    await journal.close();
  });

  test('an idempotency key gives the same search to the same owner only', async () => {
    const journal = await fresh();
    expect(await journal.accept({ ...search('a'), idempotencyKey: 'k' })).toEqual({ fresh: true });
    const again = await journal.accept({ ...search('b'), idempotencyKey: 'k', fingerprint: 'other' });
    expect(again).toEqual({ fresh: false, id: 'a', fingerprint: 'f' });
    expect(await journal.find('b')).toBeUndefined();
    expect(await journal.accept({ ...search('c'), idempotencyKey: 'k', owner: 'else' })).toEqual({ fresh: true });
    const both = [search('d'), search('e')].map((each) => journal.accept({ ...each, idempotencyKey: 'race' }));
    expect((await Promise.all(both)).map((each) => each.fresh)).toEqual([true, false]);
    await journal.close();
  });

  test('half of a character, or the character 0, keeps nothing from being written', async () => {
    const journal = await fresh();
    const odd = 'a\ud800\u0000z';
    const event = { type: 'settled', strand: 0, text: odd } as unknown as LoggedEvent['event'];
    await journal.accept({ ...search('a'), title: odd, request: { odd } });
    await journal.claim('a', 0, 1);
    journal.append(1, { search: 'a', sequence: 0, atMs: 1, event });
    expect(await journal.finish('a', 1, { ...ending(), outcome: { odd }, texts: { odd } })).toBe(true);
    expect(await journal.find('a')).toMatchObject({ request: { odd }, outcome: { odd }, texts: { odd } });
    expect((await journal.find('a'))?.title).toMatch(/^a.*z$/s);
    expect(await journal.read('a', -1, 9)).toEqual([{ search: 'a', sequence: 0, atMs: 1, event }]);
    await journal.close();
  });

  test('cancel requests stay with the record', async () => {
    const journal = await fresh();
    await journal.accept(search('a'));
    expect(await journal.requestCancel('a')).toBe(true);
    expect((await journal.unfinished())[0]).toMatchObject({ id: 'a', cancelRequested: true });
    await journal.close();
  });

  test('lists are newest first, by owner and state, in pages, with no more of the texts than the answer', async () => {
    const journal = await fresh();
    for (const id of ['a', 'b', 'c', 'd']) await journal.accept({ ...search(id), owner: id === 'b' ? 'bob' : 'ann' });
    await journal.claim('d', 0, 1);
    const ids = async (query: Partial<Parameters<Journal['list']>[0]>) =>
      (await journal.list({ limit: 10, ...query })).map(({ id }) => id);
    expect(await ids({})).toEqual(['d', 'c', 'b', 'a']);
    expect(await ids({ owner: 'ann' })).toEqual(['d', 'c', 'a']);
    expect(await ids({ states: ['queued'], limit: 2 })).toEqual(['c', 'b']);
    expect(await ids({ before: 'c' })).toEqual(['b', 'a']);
    expect((await journal.list({ limit: 1 }))[0]).toMatchObject({
      title: 't of d',
      request: undefined,
      texts: undefined,
    });
    const texts = { content: 'thus \u0000 24', reasoning_content: 'thoughts', answer: '2\u00004' };
    await journal.claim('c', 0, 1);
    await journal.finish('d', 1, { state: 'done', endedMs: 2, outcome: {}, texts });
    await journal.finish('c', 1, { state: 'done', endedMs: 2, outcome: {}, texts: { ...texts, answer: null } });
    const listed = await journal.list({ limit: 2 });
    expect(listed.map(({ request }) => request)).toEqual([undefined, undefined]);
    expect(listed.map((each) => each.texts)).toEqual([{ answer: texts.answer }, { content: texts.content }]);
    expect((await journal.unfinished()).map(({ id }) => id)).toEqual(['a', 'b']);
    await journal.close();
  });

  test('what has ended comes by the time of its end, by owner, in pages that neither lose nor double what ended at once', async () => {
    const journal = await fresh();
    for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      await journal.accept({ ...search(id), owner: id === 'b' ? 'bob' : 'ann' });
      if (id === 'e') continue;
      await journal.claim(id, 0, 1);
      await journal.finish(id, 1, { ...ending(), endedMs: at < 2 ? 30 : 20.5 });
    }
    const page = (query: Partial<Parameters<Journal['ended']>[0]>) =>
      journal.ended({ fromMs: 0, before: { endedMs: 100, id: '' }, limit: 10, ...query });
    const ids = async (query: Parameters<typeof page>[0]) => (await page(query)).map(({ id }) => id);
    expect(await ids({})).toEqual(['b', 'a', 'd', 'c']);
    expect(await ids({ owner: 'ann', fromMs: 20.5, limit: 2 })).toEqual(['a', 'd']);
    expect(await ids({ before: { endedMs: 30, id: 'a' } })).toEqual(['d', 'c']);
    expect(await ids({ before: { endedMs: 20.5, id: 'd' } })).toEqual(['c']);
    expect(await ids({ fromMs: 20.6 })).toEqual(['b', 'a']);
    expect(await page({ limit: 1 })).toEqual([
      { id: 'b', state: 'done', createdMs: 1, endedMs: 30, about: search('b').about, outcome: ending().outcome },
    ]);
    await journal.close();
  });

  test('an entry of several events comes back whole, with its texts or without', async () => {
    const together = ({ event, ...rest }: LoggedEvent): LogEntry => ({
      ...rest,
      event: { type: 'moved', strand: 0, node: 1 },
      more: [event, { type: 'closed', strand: 0, closing: 'completed' }, event],
    });
    for (const texts of ['keep', 'until-end', 'never'] as const) {
      const journal = await fresh(texts);
      await journal.accept(search('a'));
      await journal.claim('a', 0, 1);
      const [whole, bare] = [together(grown('a', 0)), together(bareGrown('a', 0))];
      const next = { ...grown('a', 1), more: [entry('a', 1).event] };
      journal.append(1, whole);
      journal.append(1, next);
      await journal.flush();
      const kept = texts === 'never' ? [bare, { ...next, ...bareGrown('a', 1) }] : [whole, next];
      expect(await journal.read('a', -1, 10)).toEqual(kept);
      expect(await journal.read('a', 0, 10)).toEqual(kept.slice(1));
      journal.append(1, whole);
      await journal.finish('a', 1, { ...ending(), lastSequence: 1 });
      expect((await journal.read('a', -1, 1))[0]).toEqual(texts === 'keep' ? whole : bare);
      await journal.close();
    }
  });

  test('texts: kept until the end or never, and the facts stay', async () => {
    for (const texts of ['until-end', 'never'] as const) {
      const journal = await fresh(texts);
      await journal.accept(search('a'));
      await journal.claim('a', 0, 1);
      journal.append(1, grown('a', 0));
      await journal.flush();
      const before = await journal.read('a', -1, 10);
      expect(before).toEqual([texts === 'never' ? bareGrown('a', 0) : grown('a', 0)]);
      await journal.finish('a', 1, ending());
      expect(await journal.read('a', -1, 10)).toEqual([bareGrown('a', 0)]);
      const record = await journal.find('a');
      expect(record).toMatchObject({
        title: undefined,
        request: undefined,
        texts: undefined,
        outcome: ending().outcome,
      });
      await journal.close();
    }
  });

  test('retention takes the aged and the surplus, oldest first, never one that runs', async () => {
    const journal = await fresh();
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      await journal.accept({ ...search(id), idempotencyKey: id });
      await journal.claim(id, 0, 1);
      journal.append(1, entry(id, 0));
      if (id !== 'a') await journal.finish(id, 1, { ...ending(), endedMs: at * 10 });
    }
    expect(await journal.sweep({ endedBeforeMs: 15, keepSearches: 100, atMost: 10 })).toBe(1);
    expect(await journal.find('b')).toBeUndefined();
    expect(await journal.read('b', -1, 10)).toEqual([]);
    expect(await journal.sweep({ endedBeforeMs: 0, keepSearches: 2, atMost: 10 })).toBe(1);
    expect((await journal.list({ limit: 10 })).map(({ id }) => id)).toEqual(['d', 'a']);
    expect(await journal.sweep({ endedBeforeMs: 1e9, keepSearches: 0, atMost: 10 })).toBe(1);
    expect(await journal.find('a')).toBeDefined();
    expect(await journal.accept({ ...search('e'), idempotencyKey: 'b' })).toEqual({ fresh: true });
    await journal.close();
  });

  test('a search that has ended can be taken out, log and all', async () => {
    const journal = await fresh();
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const each of log('a', 3)) journal.append(1, each);
    expect(await journal.remove('a')).toBe(false);
    await journal.finish('a', 1, { state: 'done', endedMs: 9, outcome: {}, texts: {} });
    expect([await journal.remove('a'), await journal.remove('a')]).toEqual([true, false]);
    expect([await journal.find('a'), await journal.read('a', -1, 10)]).toEqual([undefined, []]);
    await journal.close();
  });

  test('a document is changed only by who knows its last revision', async () => {
    const journal = await fresh();
    const { documents } = journal;
    await documents.add(document('file-1'), ['one\n', 'two \u{1f333}\n']);
    expect(await documents.find('file-1')).toEqual({ ...document('file-1'), revision: 0 });
    const change = { facts: { status: 'done' }, open: false, expiresMs: 50 };
    expect(await documents.change('file-1', 0, change)).toBe(true);
    expect(await documents.change('file-1', 0, change)).toBe(false);
    expect(await documents.change('file-2', 0, change)).toBe(false);
    expect(await documents.find('file-1')).toEqual({ ...document('file-1'), ...change, revision: 1 });
    expect(await documents.find('file-\u0000')).toBeUndefined();
    await journal.close();
  });

  test('a part of a document is written once, and they come back in order', async () => {
    const journal = await fresh();
    const { documents } = journal;
    await documents.add(document('file-1'), ['a', 'b']);
    await documents.add(document('file-2'));
    expect(await documents.addPart('file-1', 7, 'seven')).toBe(true);
    expect(await documents.addPart('file-1', 7, 'other')).toBe(false);
    expect(await documents.addPart('file-3', 0, 'of none')).toBe(false);
    expect(await documents.partNumbers('file-1')).toEqual([0, 1, 7]);
    expect(await documents.parts('file-1', 0, 9)).toEqual([
      { part: 1, text: 'b' },
      { part: 7, text: 'seven' },
    ]);
    expect(await documents.parts('file-1', -1, 1)).toEqual([{ part: 0, text: 'a' }]);
    expect(await documents.parts('file-2', -1, 9)).toEqual([]);
    await journal.close();
  });

  test('documents are listed by kind and owner, go when they are removed, and when they have expired and are not open', async () => {
    const journal = await fresh();
    const { documents } = journal;
    for (const id of ['file-1', 'file-2', 'file-3'])
      await documents.add({ ...document(id), open: id === 'file-3' }, [id]);
    await documents.add({ ...document('batch-1'), kind: 'batch', owner: 'bob', expiresMs: 5 });
    const ids = async (query: Partial<Parameters<typeof documents.list>[0]>) =>
      (await documents.list({ kind: 'file', limit: 10, ...query })).map(({ id }) => id);
    expect(await ids({})).toEqual(['file-3', 'file-2', 'file-1']);
    expect(await ids({ before: 'file-3', limit: 1 })).toEqual(['file-2']);
    expect(await ids({ owner: 'bob' })).toEqual([]);
    expect(await ids({ owner: 'bob', kind: 'batch' })).toEqual(['batch-1']);
    expect((await documents.opened('file')).map(({ id }) => id)).toEqual(['file-3']);
    expect([await documents.remove('file-2'), await documents.remove('file-2')]).toEqual([true, false]);
    expect(await documents.parts('file-2', -1, 9)).toEqual([]);
    await documents.add({ ...document('file-4'), open: false });
    expect(await documents.expire(100, 10)).toBe(1);
    expect(await ids({})).toEqual(['file-3', 'file-1']);
    expect(await ids({ kind: 'batch' })).toEqual(['batch-1']);
    await journal.close();
  });

  test('a listener hears of every entry once it can be read', async () => {
    const journal = await fresh();
    const heard: number[] = [];
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    journal.listen({ durable: (_, sequence) => heard.push(sequence) });
    for (const each of log('a', 5)) journal.append(1, each);
    await journal.flush();
    expect(heard.at(-1)).toBe(4);
    expect(await journal.read('a', 3, 10)).toEqual([entry('a', 4)]);
    await journal.close();
  });

  test('any events come back as they were, in any interleaving of searches', async () => {
    const plain = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const event = plain.map((each) => ({ ...each, type: 'any' })).map((each) => JSON.parse(JSON.stringify(each)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), event), { maxLength: 30 }), async (lines) => {
        const journal = await fresh();
        const expected = new Map<string, LoggedEvent[]>();
        const ids = ['0', '1', '2', '3'];
        for (const id of ids) expected.set(id, []);
        await Promise.all(ids.flatMap((id) => [journal.accept(search(id)), journal.claim(id, 0, 0), journal.flush()]));
        for (const [number, each] of lines) {
          const entries = expected.get(String(number)) ?? [];
          entries.push({ search: String(number), sequence: entries.length, atMs: 1.5, event: each });
          journal.append(1, entries.at(-1)!);
        }
        await journal.flush();
        for (const [id, entries] of expected) expect(await journal.read(id, -1, 100)).toEqual(entries);
        await journal.close();
      }),
      { numRuns: 20 },
    );
  });

  test('pages of a log or a file are bounded by their characters, and lead to the end all the same', async () => {
    const journal = await fresh();
    const texts = Array.from({ length: 40 }, (_, at) => `${at} `.padEnd(pageChars / 4, 'x'));
    await journal.accept(search('a'));
    await journal.claim('a', 0, 1);
    for (const [sequence, text] of texts.entries())
      journal.append(1, { search: 'a', sequence, atMs: 1, event: { type: 'settled', text } as never });
    await journal.flush();
    const read = (await wholeLog(journal, 'a')).map(({ event }) => (event as unknown as { text: string }).text);
    expect(read).toEqual(texts);
    await journal.documents.add(document('file-9'), texts);
    const parts = await journal.documents.parts('file-9', -1, 100);
    expect(parts.map(({ text }) => text)).toEqual(texts.slice(0, parts.length));
    expect([parts.length, (await journal.documents.parts('file-9', 38, 100)).length]).toEqual([4, 1]);
    await journal.close();
  });

  test('what was accepted and appended is there after a restart', async ({ skip }) => {
    const kind = await makeCase();
    if (kind.reopen === undefined) return skip('nothing outlives the process');
    const before = await kind.open('keep');
    await before.accept(search('a'));
    await before.claim('a', 0, 1);
    for (const each of log('a', 4)) before.append(1, each);
    const after = await kind.reopen(before);
    expect(await after.read('a', -1, 10)).toEqual(log('a', 4));
    expect(await after.unfinished()).toMatchObject([{ id: 'a', state: 'running', epoch: 1 }]);
    expect(await after.claim('a', 1, 9)).toBe(true);
    expect((await after.find('a'))?.startedMs).toBe(1);
    await after.close();
  });
}

function document(id: string): NewDocument {
  const expiresMs = id === 'file-1' ? undefined : 5;
  return { id, kind: 'file', owner: 'ann', createdMs: 3, open: true, expiresMs, facts: { id } };
}

function search(id: string): NewSearch {
  const about = { model: 'm', program: 'mcts' };
  const request = { prompt: `p of ${id}` };
  return { id, owner: 'ann', fingerprint: 'f', background: true, createdMs: 1, about, title: `t of ${id}`, request };
}

function ending(state: Ending['state'] = 'done'): Ending {
  return { state, endedMs: 9, outcome: { exit: 'accepted', score: 0.5 }, texts: { content: 'because "ü\u0000"' } };
}

function entry(search: string, sequence: number): LoggedEvent {
  return { search, sequence, atMs: 1.25 * sequence, event: { type: 'moved', strand: 0, node: sequence } };
}

function log(search: string, length: number): LoggedEvent[] {
  return Array.from({ length }, (_, sequence) => entry(search, sequence));
}

function grown(search: string, sequence: number): LoggedEvent {
  const step = { text: 'secret', tokens: 3, meanLogprob: -0.5, end: 'eos', tokenIds: [1, 2, 3] } as const;
  const event = {
    type: 'grown',
    node: 1,
    key: 2 ** 53 - 1,
    parent: 0,
    index: 0,
    step,
    reward: 0.5,
    terminal: true,
    answer: '24',
  } as const;
  return { search, sequence, atMs: 2, event };
}

function bareGrown(search: string, sequence: number): LoggedEvent {
  const step = { text: '', tokens: 3, meanLogprob: -0.5, end: 'eos' } as const;
  const event = {
    type: 'grown',
    node: 1,
    key: 2 ** 53 - 1,
    parent: 0,
    index: 0,
    step,
    reward: 0.5,
    terminal: true,
  } as const;
  return { search, sequence, atMs: 2, event };
}
