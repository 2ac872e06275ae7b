// Replicas that come and go while searches run, over real sockets: who gets work, what becomes of work under way, and what the
// operator is told.

import { describe, expect, it } from 'vitest';
import { FaultError, fault } from '../../packages/core/src/base/fault.ts';
import { Random } from '../../packages/core/src/base/random.ts';
import { type GenerateRequest, isAnswer } from '../../packages/core/src/engine/engine.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import { Vocabulary } from '../servers/model.ts';
import type { TestServer } from '../servers/server.ts';
import { VllmServer, type VllmSettings } from '../servers/vllm-server.ts';
import { benchOfEach, holdAt } from './remote-bench.ts';

const open = benchOfEach();
const everyMs = 10;
const vocabulary = new Vocabulary();
/** All that vocabularies are compared by is known from the start, as in a real one. */
vocabulary.encode('The 1234 trees, 56.7 % of 8901,  grow naïvely: 木が三本 🌳\n', false);
const server = (settings: VllmSettings = {}) => new VllmServer({ vocabulary, ...settings });

/** An engine whose list holds the first `listed` of these servers until it is changed. */
async function elastic(servers: readonly TestServer[], listed = servers.length, more: object = {}, paceMs = everyMs) {
  let first: readonly string[] | undefined;
  const now = {
    read: (): readonly string[] => {
      first ??= servers.slice(0, listed).map(({ url }) => url);
      return first;
    },
  };
  const list = { name: 'the list', read: async () => now.read() };
  const bench = await open(servers, { servers: [], listed: { list, everyMs: paceMs }, ...more });
  const put = (...on: TestServer[]) => {
    const urls = on.map(({ url }) => url);
    return spoil(() => urls);
  };
  /** Resolves when it was read. */
  const spoil = async (read: () => readonly string[]): Promise<void> => {
    now.read = read;
    bench.timers.advance(paceMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const told = (type: string) => bench.events.filter((event) => event.type === type);
  return { ...bench, put, spoil, told };
}

const generated = (each: TestServer) =>
  each.bodies('/v1/completions').filter(({ seed }) => seed !== undefined && Number(seed) > 0).length;

describe('a replica that comes', () => {
  it('gets new searches after it was asked what it is, and moves none that has its prefix elsewhere', async () => {
    const [first, second] = [server(), server()];
    const { engine, request, finish, put, until, told } = await elastic([first, second], 1);
    const early = Array.from({ length: 6 }, (_, at) => request({ search: `early-${at}` }));
    engine.generate(early);
    await finish(early);
    await put(first, second);
    await until(() => told('replica-joined').length === 1);
    const again = Array.from({ length: 6 }, (_, at) => request({ search: `early-${at}` }));
    const late = Array.from({ length: 6 }, (_, at) => request({ search: `late-${at}` }));
    engine.generate(again);
    engine.generate(late);
    await finish([...again, ...late]);
    expect([generated(first), generated(second)]).toEqual([12, 6]);
    expect(engine.servers()).toEqual([first.url, second.url]);
    expect(engine.load().replicas).toEqual({ up: 2, out: 0, leaving: 0 });
  });

  it('takes a part of what has piled up elsewhere', async () => {
    const [first, second] = [server(), server()];
    const { engine, request, finish, put, until } = await elastic([first, second], 1, { inFlight: 2 });
    const letGo = holdAt(first, 1);
    const requests = Array.from({ length: 12 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await until(() => first.generating === 2);
    await put(first, second);
    await until(() => generated(second) > 0);
    letGo();
    await finish(requests);
    expect(generated(first) + generated(second)).toBe(12);
  });

  const liars: readonly (readonly [string, VllmSettings, string])[] = [
    ['another model', { model: 'other' }, "serves 'other', not 'test-model'"],
    [
      'other weights under the same name',
      { loadedFrom: '/models/other' },
      "serves 'other' under the name 'test-model'",
    ],
    ['another tokenizer', { vocabulary: new Vocabulary() }, 'divides text into other tokens'],
    ['a smaller context', { contextTokens: 100 }, 'has a context of 100 tokens, and searches count on 4096'],
    ['no log probabilities', { refuses: ['logprobs'] }, 'tells no log probabilities, and the others do'],
  ];
  it.each(liars)('and has %s gets one line and no work', async (_, settings, line) => {
    const [honest, liar] = [server(), server(settings)];
    liar.vocabulary.encode('木', false);
    const { engine, request, finish, put, until, told, timers } = await elastic([honest, liar], 1);
    await put(honest, liar);
    await until(() => told('replica-refused').length === 1);
    expect(told('replica-refused')).toMatchObject([{ url: liar.url, reason: expect.stringContaining(line) }]);
    for (let probe = 0; probe < 5; probe += 1) timers.advance(60_000);
    const requests = Array.from({ length: 8 }, (__, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await finish(requests);
    expect([generated(honest), generated(liar)]).toEqual([8, 0]);
    expect(told('replica-refused').length).toBe(1);
  });

  it('and was another before its outage gets one line and no work', async () => {
    const [first, second] = [server(), server()];
    const { engine, request, finish, until, told, timers } = await elastic([first, second]);
    const port = Number(new URL(second.url).port);
    await second.close();
    const requests = Array.from({ length: 4 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await until(() => told('replica-down').length === 1);
    const other = await server({ loadedFrom: 'other' }).listen(port);
    await until(() => told('replica-refused').length === 1, 100);
    await finish(requests);
    for (let probe = 0; probe < 5; probe += 1) {
      timers.advance(60_000);
      await until(() => true);
    }
    expect(told('replica-refused')).toMatchObject([
      { reason: expect.stringContaining("serves 'other' under the name") },
    ]);
    expect(generated(other)).toBe(0);
    await other.close();
  });

  it('is told of when it cannot be reached, and gets work when it can', async () => {
    const [first, second] = [server(), server()];
    const { put, until, told, engine } = await elastic([first, second], 1);
    const port = Number(new URL(second.url).port);
    const url = second.url;
    await second.close();
    await put(first, { url } as TestServer);
    await until(() => told('replica-down').length === 1);
    const back = await server().listen(port);
    await until(() => engine.load().replicas?.up === 2, 100);
    await back.close();
  });
});

describe('a replica that leaves', () => {
  it('ends what it has, gets nothing new, and is gone', async () => {
    const [first, second] = [server(), server()];
    const { engine, request, finish, answer, put, until, told } = await elastic([first, second]);
    const letGo = holdAt(first, 1);
    const early = Array.from({ length: 8 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(early);
    await until(() => first.generating === 4);
    await put(second);
    expect(engine.load().replicas).toEqual({ up: 1, out: 0, leaving: 1 });
    const late = Array.from({ length: 8 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(late);
    await finish(late);
    letGo();
    await finish(early);
    await until(() => told('replica-left').length === 1, 250);
    expect([...early, ...late].map(({ id }) => answer(id)?.type)).toEqual(Array(16).fill('step'));
    expect([generated(first), generated(second)]).toEqual([4, 12]);
    expect(first.abandoned).toBe(0);
    expect(engine.servers()).toEqual([second.url]);
  });

  it('gives up after half a minute what it has not ended, which is drawn anew elsewhere: nothing is lost or doubled', async () => {
    const [stuck, sound] = [server(), server()];
    const { engine, request, finish, answer, put, until, told, timers, inbox } = await elastic([stuck, sound], 2, {
      betweenTokensMs: 120_000,
    });
    const letGo = holdAt(stuck, 1);
    const requests = Array.from({ length: 8 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await until(() => stuck.generating === 4 && requests.filter(({ id }) => answer(id) !== undefined).length === 4);
    await put(sound);
    timers.advance(29_000);
    expect(generated(sound)).toBe(4);
    timers.advance(1500);
    await finish(requests);
    expect(requests.map(({ id }) => answer(id)?.type)).toEqual(Array(8).fill('step'));
    // The same draws: with their seeds, and each of them once.
    const seeds = sound.bodies('/v1/completions').flatMap(({ seed }) => (Number(seed) > 0 ? Number(seed) : []));
    expect(seeds.toSorted((a, b) => a - b)).toEqual(requests.map(({ seed }) => seed));
    // What the old replica has to say after all is heard by nobody.
    letGo();
    await until(() => told('replica-left').length === 1 && stuck.abandoned === 4, 250);
    expect(inbox.filter(isAnswer)).toHaveLength(8);
    expect(told('replica-down')).toEqual([]);
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });

  it('twice within one moment is gone once', async () => {
    const [first, second, third] = [server(), server(), server()];
    // The list is read without the clock moving.
    const { engine, request, finish, until, told, timers, put } = await elastic([first, second, third], 3, {}, 0);
    const letGo = holdAt(second, 1);
    const requests = Array.from({ length: 6 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await until(() => second.generating === 2);
    await put(first, third);
    await put(first, second, third);
    await put(first, third);
    letGo();
    await finish(requests);
    timers.advance(1000);
    expect(told('replica-left').length).toBe(1);
    expect(engine.servers()).toEqual([first.url, third.url]);
  });

  it('and is listed again before it is gone stays', async () => {
    const [first, second] = [server(), server()];
    const { engine, request, finish, put, until, told } = await elastic([first, second]);
    const letGo = holdAt(first, 1);
    const requests = Array.from({ length: 4 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await until(() => first.generating === 2);
    await put(second);
    await put(first, second);
    letGo();
    await finish(requests);
    expect(engine.load().replicas).toEqual({ up: 2, out: 0, leaving: 0 });
    expect(told('replica-left')).toEqual([]);
  });
});

it('is told of as often as another number of replicas may get work', async () => {
  const [first, second, third] = [server(), server(), server()];
  const { engine, request, put, until, told } = await elastic([first, second, third], 1);
  const counts: (number | undefined)[] = [];
  engine.watchReplicas(() => counts.push(engine.load().replicas?.up));
  await put(first, second);
  await until(() => told('replica-joined').length === 1);
  await put(first, second, third);
  await until(() => told('replica-joined').length === 2);
  await put(first, third);
  await until(() => told('replica-left').length === 1, 250);
  const port = Number(new URL(third.url).port);
  await third.close();
  const late = Array.from({ length: 4 }, (_, at) => request({ search: `late-${at}` }));
  engine.generate(late);
  await until(() => told('replica-down').length === 1);
  const back = await server().listen(port);
  await until(() => engine.load().replicas?.up === 2, 100);
  expect(counts).toEqual([2, 3, 2, 1, 2]);
  await back.close();
});

describe('a list', () => {
  it.each([
    ['is empty', () => [], 'the list is empty'],
    [
      'cannot be read',
      () => {
        throw new FaultError(fault('unavailable', 'the list cannot be read: away'));
      },
      'the list cannot be read: away',
    ],
  ] as const)('that %s changes nothing, and is told of once', async (_, read, reason) => {
    const [first, second] = [server(), server()];
    const { engine, put, spoil, until, told, timers } = await elastic([first, second]);
    await spoil(read);
    await until(() => told('replicas-unlisted').length === 1);
    for (let beat = 0; beat < 3; beat += 1) {
      timers.advance(everyMs);
      await until(() => true);
    }
    expect(told('replicas-unlisted')).toMatchObject([{ reason }]);
    expect(engine.servers()).toEqual([first.url, second.url]);
    expect(engine.load().listHealthy).toBe(false);
    await put(first, second);
    await until(() => told('replicas-listed').length === 1, everyMs);
    expect(engine.load().listHealthy).toBe(true);
  });

  it('that names only wrong servers lets nobody go, until it names a right one', async () => {
    const [first, liar, right] = [server(), server({ loadedFrom: 'other' }), server()];
    const { engine, request, finish, put, until, told } = await elastic([first, liar, right], 1);
    await put(liar);
    await until(() => told('replica-refused').length === 1);
    const requests = Array.from({ length: 4 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await finish(requests);
    expect([generated(first), generated(liar)]).toEqual([4, 0]);
    await put(right);
    await until(() => told('replica-left').length === 2, 250);
    expect(engine.servers()).toEqual([right.url]);
  });

  it('that names nobody ends the start with one line', async () => {
    const list = { name: 'the list', read: async () => [] };
    const opening = openRemoteEngine({ servers: [], listed: { list, everyMs } });
    await expect(opening).rejects.toThrow('no replica to begin with: the list is empty');
  });

  it('with a liar on it starts with the others', async () => {
    const [first, liar] = [server(), server({ model: 'other' })];
    const { engine, told } = await elastic([first, liar], 2, { model: 'test-model' });
    expect(told('replica-refused')).toMatchObject([{ url: liar.url }]);
    expect(engine.usable()).toEqual([first.url]);
  });

  it('does not go together with a router', async () => {
    const list = { name: 'the list', read: async () => [] };
    const opening = openRemoteEngine({ servers: [], listed: { list, everyMs }, router: 'dynamo' });
    await expect(opening).rejects.toThrow("router is dynamo, and replicas are listed; give the router's one url");
  });

  it('that changes all the time loses and doubles nothing', async () => {
    const servers = Array.from({ length: 5 }, () => server());
    const { engine, request, finish, answer, put } = await elastic(servers, 2, { inFlight: 3 });
    const chance = new Random('elastic', 1);
    const all: GenerateRequest[] = [];
    for (let round = 0; round < 30; round += 1) {
      const some = Array.from({ length: 3 }, () => request({ search: `search-${chance.integer(12)}` }));
      engine.generate(some);
      all.push(...some);
      const on = servers.filter(() => chance.uniform() < 0.5);
      await put(...(on.length > 0 ? on : servers.slice(0, 1)));
    }
    await finish(all, 1);
    expect(all.map(({ id }) => answer(id)?.type)).toEqual(all.map(() => 'step'));
    const drawn = servers.flatMap((each) => each.bodies('/v1/completions').map(({ seed }) => seed));
    expect(drawn.filter((seed) => all.some((each) => each.seed === seed)).length).toBe(all.length);
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });
});
