import { describe, expect, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import {
  outlivingJournal,
  post,
  question,
  runGateway,
  type ServerEvent,
  serverEvents,
} from '../../../../tests/support/running-gateway.ts';
import { ScriptedEngine } from '../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../tests/support/until.ts';
import { FaultError, fault } from '../../../core/src/base/fault.ts';
import type { Plain } from '../../../core/src/journal/documents.ts';
import type { SearchRecord } from '../../../core/src/journal/journal.ts';
import { SqliteJournal } from '../../../core/src/journal/sqlite/sqlite-journal.ts';
import { eventsIn, hasEvent } from '../../../core/src/log/entry.ts';
import type { LoggedEvent } from '../../../core/src/log/events.ts';
import { systemClock } from '../../../core/src/runtime/live.ts';

async function json(response: Promise<Response>): Promise<Loose> {
  const answer = await response;
  return { status: answer.status, headers: answer.headers, ...((await answer.json()) as object) };
}

const create = (url: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  json(post(`${url}/v1/searches`, { ...question, background: true, ...body }, headers));
const read = (url: string, id: string) => json(fetch(`${url}/v1/searches/${id}`));

async function finished(url: string, id: string): Promise<Loose> {
  for (;;) {
    const search = await read(url, id);
    if (search.ended_ms !== null) return search;
  }
}

async function collect(response: Response): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of serverEvents(response)) if (event.event !== undefined) events.push(event);
  return events;
}

describe('a background search', () => {
  test('is accepted at once, runs without its client and can be read', async () => {
    const { url } = await runGateway();
    const accepted = await create(url, { title: 'mine' });
    expect(accepted).toMatchObject({
      status: 202,
      object: 'search',
      state: expect.stringMatching(/queued|running/),
      title: 'mine',
      background: true,
    });
    expect(accepted.headers.get('location')).toBe(`/v1/searches/${accepted.id}`);
    const search = await finished(url, accepted.id);
    expect(search).toMatchObject({
      state: 'done',
      exit: { kind: 'accepted' },
      result: { content: expect.stringContaining('The answer is'), complete: true, usage: { prompt_tokens: 7 } },
      request: { messages: question.messages },
      summary: { open_strands: 0, best_score: expect.any(Number) },
    });
  });

  test('its events end with what its result says', async () => {
    const { url, journal } = await runGateway();
    const { id } = await create(url);
    const events = await collect(await fetch(`${url}/v1/searches/${id}/events`));
    expect(events.at(-1)).toMatchObject({ event: 'end', data: '{"state":"done"}' });
    const entries = events.slice(0, -1).map(({ data }) => JSON.parse(data ?? '')) as LoggedEvent[];
    // One entry may hold several events: only its last has an id, so that a reader gets whole entries again.
    const ids = events.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    expect(ids).toEqual(ids.map((_, at) => at));
    expect([...new Set(entries.map(({ sequence }) => sequence))]).toEqual(ids);
    expect(ids.length).toBeLessThan(entries.length / 2);
    expect(entries.slice(-2).map(({ event }) => event.type)).toEqual(['exited', 'cost']);
    expect(entries).toEqual((await journal.read(id, -1, 10_000)).flatMap(eventsIn));
    const { result } = await read(url, id);
    expect(`${result.reasoning_content}${result.content}`).toBe((entries.at(-2) as Loose).event.answer.text);
  });

  test('its events resume after the last that was seen, while it runs and after', async () => {
    const engine = new ScriptedEngine({ held: true });
    const { url } = await runGateway({ engine });
    const { id } = await create(url);
    const abort = new AbortController();
    const first = await fetch(`${url}/v1/searches/${id}/events`, { signal: abort.signal });
    const seen: ServerEvent[] = [];
    for await (const event of serverEvents(first)) {
      if (event.event === 'entry') seen.push(event);
      if (event.id === '1') break;
    }
    abort.abort();
    const rest = fetch(`${url}/v1/searches/${id}/events`, { headers: { 'last-event-id': seen.at(-1)?.id ?? '' } }).then(
      collect,
    );
    engine.release();
    const more = await rest;
    // `submitted` is alone in its entry; all that starting wrote is one entry, and its last event has the id.
    const types = seen.map(({ data }) => JSON.parse(data ?? '').event.type);
    expect(types.slice(0, 3)).toEqual(['submitted', 'planted', 'admitted']);
    expect(seen.filter(({ id }) => id !== undefined)).toEqual([seen[0], seen.at(-1)]);
    expect(JSON.parse(more[0]?.data ?? '')).toMatchObject({ sequence: 2 });
    expect(more.at(-1)?.event).toBe('end');
    const last = more.at(-2)?.id ?? '';
    expect((await fetch(`${url}/v1/searches/${id}/events?after=${last}`)).status).toBe(204);
    expect((await fetch(`${url}/v1/searches/${id}/events?after=x`)).status).toBe(400);
  });

  test('is cancelled down to the engine, by either way', async () => {
    for (const [method, path] of [
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      const { url, engine } = await runGateway({ scripted: { held: true } });
      const { id } = await create(url);
      while (engine.open === 0) await read(url, id);
      const cancelled = await json(fetch(`${url}/v1/searches/${id}${path}`, { method }));
      expect(cancelled).toMatchObject({ status: 200, state: 'cancelled', exit: { kind: 'cancelled' } });
      expect(engine.open).toBe(0);
      const again = await json(fetch(`${url}/v1/searches/${id}${path}`, { method }));
      expect(again).toMatchObject({ status: 200, state: 'cancelled' });
    }
  });

  test('the same idempotency key gives the same search, another body a conflict', async () => {
    const { url } = await runGateway();
    const headers = { 'idempotency-key': 'k1' };
    const [first, second] = await Promise.all([create(url, {}, headers), create(url, {}, headers)]);
    expect(second.id).toBe(first.id);
    expect(await create(url, { seed: 9 }, headers)).toMatchObject({
      status: 409,
      error: { code: 'idempotency_conflict' },
    });
    expect((await create(url, {}, headers)).id).toBe(first.id);
    expect((await json(fetch(`${url}/v1/searches`))).data).toHaveLength(1);
    expect(await create(url, {}, { 'idempotency-key': 'x'.repeat(201) })).toMatchObject({ status: 400 });
  });

  test('is refused if texts are never kept', async () => {
    const { url } = await runGateway({ journal: new SqliteJournal({ path: ':memory:', texts: 'never' }) });
    expect(await create(url)).toMatchObject({ status: 400, error: { param: 'background' } });
  });

  test('waits for its client when it is not in the background', async () => {
    const { url } = await runGateway();
    expect(await create(url, { background: false })).toMatchObject({
      status: 200,
      state: 'done',
      result: { complete: true },
    });
  });
});

describe('texts', () => {
  test('that are kept until the end are gone after it; the facts stay', async () => {
    const { url } = await runGateway({ journal: new SqliteJournal({ path: ':memory:', texts: 'until-end' }) });
    const { id } = await create(url);
    const events = await (await fetch(`${url}/v1/searches/${id}/events`)).text();
    const search = await finished(url, id);
    await until(async () => (await read(url, id)).request === null);
    const after = await read(url, id);
    expect(after).toMatchObject({ state: 'done', title: null, result: { content: null, complete: true } });
    expect(after.result.usage).toEqual(search.result.usage);
    expect(JSON.stringify(after)).not.toContain('make 24');
    expect(events).toContain('exited');
  });

  test('a journal that cannot be written is 503 for a background search', async () => {
    const journal = new SqliteJournal({ path: ':memory:' });
    const { url } = await runGateway({ journal });
    journal.accept = () => Promise.reject(new FaultError(fault('unavailable', 'the disk is full')));
    expect(await create(url)).toMatchObject({ status: 503, error: { code: 'unavailable' } });
  });
});

describe('the list', () => {
  test('has pages, newest first, and filters by state', async () => {
    const { url } = await runGateway();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.push((await create(url, { background: false })).id);
    const page = await json(fetch(`${url}/v1/searches?limit=2`));
    expect(page).toMatchObject({ has_more: true, data: [{ id: ids[4] }, { id: ids[3] }] });
    const next = await json(fetch(`${url}/v1/searches?limit=3&before=${ids[3]}&state=done,failed`));
    expect(next).toMatchObject({ has_more: false, data: [{ id: ids[2] }, { id: ids[1] }, { id: ids[0] }] });
    for (const bad of ['limit=0', 'limit=501', 'limit=x', 'state=odd']) {
      expect((await fetch(`${url}/v1/searches?${bad}`)).status).toBe(400);
    }
  });

  test('a search that does not exist is 404 everywhere', async () => {
    const { url } = await runGateway();
    for (const path of ['', '/events']) expect((await fetch(`${url}/v1/searches/srch_x${path}`)).status).toBe(404);
    expect((await fetch(`${url}/v1/searches/srch_x/cancel`, { method: 'POST' })).status).toBe(404);
  });
});

describe('after a crash', () => {
  test('every background search goes on from its log, ends once, and the old process can write nothing more', async () => {
    const journal = outlivingJournal();
    const dying = new ScriptedEngine({ held: true });
    const before = await runGateway({ journal, engine: dying });
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1) ids.push((await create(before.url, { seed: at })).id);
    const waiting = post(`${before.url}/v1/chat/completions`, question).catch(() => undefined);
    await until(async () => (await journal.unfinished()).length >= 13);
    const after = await runGateway({ journal });
    for (const id of ids)
      expect(await finished(after.url, id)).toMatchObject({ state: 'done', epoch: expect.toBeOneOf([1, 2]) });
    dying.release();
    await waiting;
    for (const id of ids) {
      const entries = await journal.read(id, -1, 10_000);
      expect(entries.filter((entry) => hasEvent(entry, 'exited'))).toHaveLength(1);
      expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, at) => at));
    }
    const interactive = (await json(fetch(`${after.url}/v1/searches`))).data.find((each: Loose) => !each.background);
    expect(interactive.state).toBe('cancelled');
  });

  test('a best-first search that was written down as mcts with lazy expansion goes on step by step', async () => {
    const journal = outlivingJournal();
    const accept = journal.accept.bind(journal);
    journal.accept = (search) => {
      const { plan, ...request } = search.request as Loose;
      const former = {
        ...plan,
        program: 'mcts',
        programOptions: { ...plan.programOptions, expansion: 'lazy' },
        // A rule that no longer exists: it is left out.
        policyOptions: { ...plan.policyOptions, settledExit: 'on' },
        calibrated: ['hazard'],
        hazard: { bias: 0, weights: {}, below: 1 },
      };
      return accept({ ...search, request: { ...request, plan: former } });
    };
    const held = { journal, scripted: { held: true } };
    const before = await runGateway(held);
    const { id } = await create(before.url, { coppice: { program: 'best-first' } });
    await until(async () => (await journal.find(id))?.state === 'running');
    const { url } = await runGateway({ journal });
    expect(await finished(url, id)).toMatchObject({ state: 'done', epoch: 2 });
    const events = (await journal.read(id, -1, 1000)).flatMap(eventsIn).map(({ event }) => event as Loose);
    const asked = events.filter(({ type }) => type === 'asked');
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.every(({ indices }) => indices.length === 1)).toBe(true);
  });

  test('a search with rules that no longer exist goes on without them, and one that ended by such a rule is shown', async () => {
    const journal = outlivingJournal();
    const accept = journal.accept.bind(journal);
    journal.accept = (search) => {
      const { plan, ...request } = search.request as Loose;
      const gone = { certain: 'certificate', certainRisk: 0.05, promisePrune: 0.1, widths: 'worth', boostAt: 'doubt' };
      const former = { ...plan, policyOptions: { ...plan.policyOptions, ...gone, slack: 1, gate: 0 } };
      return accept({ ...search, request: { ...request, plan: former } });
    };
    const append = journal.append.bind(journal);
    const before = await runGateway({ journal });
    // The journal holds its exit under the rule of a former version.
    journal.append = (epoch, entry) => {
      const text = JSON.stringify(entry).replace(/"rule":"positive"/g, '"rule":"agreed"');
      append(epoch, JSON.parse(text.replace(/"kind":"accepted"/g, '"kind":"certain"')));
    };
    const { id: ended } = await create(before.url, { coppice: { policy: 'safe' } });
    await finished(before.url, ended);
    journal.append = append;
    const held = await runGateway({ journal, scripted: { held: true } });
    const { id: running } = await create(held.url, { coppice: { policy: 'safe' } });
    await until(async () => (await journal.find(running))?.state === 'running');
    const { url } = await runGateway({ journal });
    expect(await finished(url, running)).toMatchObject({ state: 'done', epoch: 2 });
    const tree = await json(fetch(`${url}/v1/searches/${ended}`));
    expect(tree).toMatchObject({ state: 'done', policy: 'safe' });
    const events = (await journal.read(ended, -1, 1000)).flatMap(eventsIn).map(({ event }) => event as Loose);
    expect(events.find(({ type }) => type === 'exited')?.exit).toMatchObject({ kind: 'certain', rule: 'agreed' });
  });

  test('a search whose last line was written is not run again', async () => {
    const journal = outlivingJournal();
    const before = await runGateway({ journal });
    const finish = journal.finish.bind(journal);
    journal.finish = async () => true;
    const { id } = await create(before.url);
    while (!(await journal.read(id, -1, 1000)).some((entry) => hasEvent(entry, 'cost'))) await read(before.url, id);
    journal.finish = finish;
    const { url, engine } = await runGateway({ journal });
    expect(await finished(url, id)).toMatchObject({ state: 'done', result: { complete: true } });
    expect(engine.asked).toHaveLength(0);
  });

  test('neither a cancelled search nor one whose model is gone is resumed', async () => {
    const journal = outlivingJournal();
    const before = await runGateway({ journal, scripted: { held: true } });
    const first = await create(before.url);
    const second = await create(before.url);
    await journal.requestCancel(first.id);
    const { url, engine } = await runGateway({ journal, model: { name: 'other' } });
    expect(await read(url, first.id)).toMatchObject({ state: expect.stringMatching(/cancelled|failed/) });
    expect(await read(url, second.id)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining("'m' is gone") },
    });
    expect(engine.asked).toHaveLength(0);
  });

  test('a search that was resumed a hundred times without an end is given up', async () => {
    const journal = outlivingJournal();
    const before = await runGateway({ journal, scripted: { held: true } });
    const { id } = await create(before.url);
    await until(async () => (await journal.find(id))?.state === 'running');
    for (let epoch = 1; epoch < 100; epoch += 1) expect(await journal.claim(id, epoch, 0)).toBe(true);
    const { url, engine } = await runGateway({ journal });
    const error = { message: expect.stringContaining('taken up 100 times') };
    expect(await read(url, id)).toMatchObject({ state: 'failed', error });
    expect(engine.asked).toHaveLength(0);
  });

  describe('whose process died while it ran', () => {
    /** The process gets no answer from its engine; the next one finds it dead. */
    async function runsUnanswered(journal: SqliteJournal) {
      const running = await runGateway({ journal, scripted: { held: true } });
      await until(() => running.engine.open > 0);
      return running;
    }

    test('twice, without progress, is set aside and says so; others go on', async () => {
      const journal = outlivingJournal();
      const { id } = await create((await runGateway({ journal, scripted: { held: true } })).url);
      await until(async () => (await journal.find(id))?.runs === 1);
      await runsUnanswered(journal);
      expect(await journal.find(id)).toMatchObject({ state: 'running', runs: 2 });
      const { url, engine } = await runGateway({ journal });
      expect(await read(url, id)).toMatchObject({
        state: 'failed',
        error: { message: expect.stringContaining('2 processes died while they ran it and before it got any further') },
      });
      expect(engine.asked).toHaveLength(0);
      expect(await finished(url, (await create(url)).id)).toMatchObject({ state: 'done' });
    });

    test('is not set aside if it made progress in between, or only waited', async () => {
      const journal = outlivingJournal();
      const first = await runGateway({ journal, model: { budget: 1 }, scripted: { held: true } });
      const [runs, waits] = [await create(first.url), await create(first.url)];
      await until(async () => (await journal.find(runs.id))?.runs === 1);
      for (let turn = 0; turn < 3; turn += 1) {
        const next = await runGateway({ journal, model: { budget: 1 }, scripted: { held: true } });
        await until(() => next.engine.open > 0);
        expect(await journal.find(runs.id)).toMatchObject({ runs: 2 });
        if (turn === 0) expect(await journal.find(waits.id)).toMatchObject({ epoch: 1, runs: 0 });
        next.engine.release();
        next.engine.hold();
        await until(async () => (await journal.find(runs.id))?.runs === 1);
      }
      const { url } = await runGateway({ journal });
      for (const { id } of [runs, waits]) expect(await finished(url, id)).toMatchObject({ state: 'done' });
    });

    test('is not set aside if its processes stopped cleanly', async () => {
      const journal = outlivingJournal();
      const { id } = await create((await runGateway({ journal, scripted: { held: true } })).url);
      await until(async () => (await journal.find(id))?.runs === 1);
      for (let turn = 0; turn < 3; turn += 1) {
        const { gateway } = await runsUnanswered(journal);
        await gateway.close();
        expect(await journal.find(id)).toMatchObject({ runs: 1 });
      }
      const { url } = await runGateway({ journal });
      expect(await finished(url, id)).toMatchObject({ state: 'done' });
    });
  });

  test('no record of a former process keeps a server from starting', async () => {
    const journal = outlivingJournal();
    const before = await runGateway({ journal, scripted: { held: true } });
    const { id } = await create(before.url);
    await until(async () => (await journal.find(id))?.state === 'running');
    const whole = (await journal.find(id))!;
    const plan = whole.request!.plan as Readonly<Record<string, unknown>>;
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    const odd = [null, [], {}, 'x', -1, 1e308, deep, { toString: 1, valueOf: 1 }];
    const plans = [...odd, ...Object.keys(plan).flatMap((key) => odd.map((value) => ({ ...plan, [key]: value })))];
    const records = plans.map((each, at): SearchRecord => {
      const request = { ...whole.request, plan: each as Plain };
      return { ...whole, id: `${id.slice(0, -6)}${String(at).padStart(6, '0')}`, state: 'queued', epoch: 0, request };
    });
    for (const { id } of records) await journal.accept({ ...whole, title: '', id, request: {} });
    journal.unfinished = async () => records;
    const { url } = await runGateway({ journal, scripted: { held: true } });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const found = await Promise.all(records.map(({ id }) => journal.find(id)));
    // Each was claimed, and the record of each that cannot run says so.
    expect(found.every((each) => each?.epoch === 1)).toBe(true);
    expect(found.filter((each) => each?.state === 'failed').length).toBeGreaterThan(records.length / 4);
  });

  test('the deadline counts from the first arrival, however long the server was down', async () => {
    const journal = outlivingJournal();
    const before = await runGateway({ journal, scripted: { held: true } });
    const { id } = await create(before.url, { coppice: { deadline_ms: 600_000 } });
    await until(async () => (await journal.find(id))?.state === 'running');
    const later = { nowMs: () => systemClock.nowMs() + 3_600_000 };
    const { url } = await runGateway({ journal, clock: later, scripted: { held: true } });
    // Nothing was generated in all that time: there is no answer, not even an empty one.
    expect(await finished(url, id)).toMatchObject({
      state: 'failed',
      epoch: 2,
      exit: { kind: 'deadline' },
      error: { code: 'deadline_passed' },
    });
  });

  test('every turn is kept, and a log is read only when its turn has come', async () => {
    const journal = outlivingJournal();
    const before = await runGateway({ journal, model: { budget: 4 }, scripted: { held: true } });
    const ids: string[] = [];
    for (const priority of [0, 0, 0, 5]) ids.push((await create(before.url, { coppice: { priority } })).id);
    for (const id of ids) await until(async () => (await journal.find(id))?.state === 'running');
    const turns = await Promise.all(ids.map(async (id) => (await journal.find(id))?.about.turn as number));
    expect(turns[3]).toBeLessThan(turns[0]! - 200);
    const wanted: string[] = [];
    const readLog = journal.read.bind(journal);
    journal.read = (id, after, limit) => {
      wanted.push(id);
      return readLog(id, after, limit);
    };
    const { url, engine, gateway } = await runGateway({ journal, model: { budget: 1 }, scripted: { held: true } });
    while (engine.open === 0) await read(url, ids[0]!);
    expect(new Set(wanted)).toEqual(new Set([ids[3]]));
    expect(gateway.searches.models.get('m')?.runtime.waiting.size).toBe(3);
    expect(ids.map((id) => gateway.searches.find(id)?.turn)).toEqual(turns);
    engine.release();
    for (const id of ids) expect(await finished(url, id)).toMatchObject({ state: 'done', epoch: 2 });
    expect([...new Set(wanted)]).toEqual([ids[3], ids[0], ids[1], ids[2]]);
  });
});

describe('admission', () => {
  const one = { model: { budget: 1 }, scripted: { held: true } };

  test('a full queue is 429 with a retry time, and no accepted search is lost', async () => {
    const { url, engine } = await runGateway({ ...one, config: { admission: { queue: 2 } } });
    const accepted = [await create(url), await create(url), await create(url)];
    expect(accepted.map(({ status }) => status)).toEqual([202, 202, 202]);
    const refused = await create(url);
    expect(refused).toMatchObject({ status: 429, error: { type: 'rate_limit_error', code: 'queue_full' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    engine.release();
    for (const { id } of accepted) expect((await finished(url, id)).state).toBe('done');
    expect((await create(url)).status).toBe(202);
  });

  test('a deadline that passes in the queue is 504, and the search never starts', async () => {
    const { url } = await runGateway(one);
    await create(url);
    const late = await json(post(`${url}/v1/chat/completions`, { ...question, coppice: { deadline_ms: 20 } }));
    expect(late).toMatchObject({
      status: 504,
      error: { code: 'deadline_passed', message: expect.stringContaining('before the search could start') },
    });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('coppice_searches_given_up_total{model="m"} 1');
  });

  test('higher priority starts first', async () => {
    const { url, engine } = await runGateway(one);
    await create(url);
    const low = await create(url, { coppice: { priority: -1 } });
    const high = await create(url, { coppice: { priority: 5 } });
    engine.release();
    await finished(url, low.id);
    const order = [...new Set(engine.asked.map(({ search }) => search))];
    expect(order.indexOf(high.id)).toBeLessThan(order.indexOf(low.id));
  });

  test('accepted searches wait in the runtime, none in the gateway', async () => {
    const { url, gateway, engine } = await runGateway({ ...one, model: { budget: 3 } });
    for (let at = 0; at < 12; at += 1) await create(url);
    const { runtime } = gateway.searches.models.get('m')!;
    await until(() => runtime.running.size === 3 && runtime.waiting.size === 9);
    expect([gateway.searches.admission.running, gateway.searches.admission.waiting]).toEqual([3, 9]);
    engine.release();
    while (runtime.running.size + runtime.waiting.size > 0) await read(url, 'none');
  });

  test('a search that waits is cancelled without a trace in the line', async () => {
    const { url, gateway } = await runGateway(one);
    await create(url);
    const { id } = await create(url);
    const { runtime } = gateway.searches.models.get('m')!;
    await until(() => runtime.waiting.size === 1);
    expect(await json(fetch(`${url}/v1/searches/${id}`, { method: 'DELETE' }))).toMatchObject({ state: 'cancelled' });
    expect([runtime.waiting.size, gateway.searches.admission.waiting]).toEqual([0, 0]);
  });

  test('a deadline that cannot be kept is refused at once, as soon as something is measured', async () => {
    const { url, engine } = await runGateway({ model: { budget: 1 }, scripted: { delayMs: 60 } });
    // Measured: three steps of 60 ms each.
    expect((await create(url, { background: false })).status).toBe(200);
    engine.hold();
    const first = await create(url);
    const refused = await create(url, { coppice: { deadline_ms: 100 } });
    expect(refused).toMatchObject({ status: 429, error: { code: 'deadline_unreachable' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await create(url, { coppice: { deadline_ms: 600_000 } })).status).toBe(202);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('coppice_refusals_total{code="deadline_unreachable"} 1');
    expect(metrics).toContain('coppice_waiting_searches{model="m"} 1');
    expect(metrics).toMatch(/coppice_service_seconds\{model="m"\} 0\.\d/);
    engine.release();
    await finished(url, first.id);
  });

  test('streams are limited too', async () => {
    const { url } = await runGateway({ scripted: { held: true }, limits: { streams: 1 } });
    const abort = new AbortController();
    const first = await fetch(`${url}/v1/overview/events`, { signal: abort.signal });
    expect(first.status).toBe(200);
    expect(await json(post(`${url}/v1/chat/completions`, question))).toMatchObject({
      status: 429,
      error: { code: 'too_many_streams' },
    });
    abort.abort();
  });
});
