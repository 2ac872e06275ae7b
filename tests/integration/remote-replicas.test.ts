// Several servers of one remote engine: which of them a search stays with, and what the others do when one hangs or dies; over real sockets.

import { describe, expect, it } from 'vitest';
import { Vocabulary } from '../servers/model.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { benchOfEach, failing } from './remote-bench.ts';

const open = benchOfEach();

describe('replicas', () => {
  const pair = (): [VllmServer, VllmServer] => {
    const vocabulary = new Vocabulary();
    return [new VllmServer({ vocabulary }), new VllmServer({ vocabulary })];
  };

  it('share the searches, and each search stays with one', async () => {
    const servers = pair();
    const { engine, request, finish } = await open(servers);
    const requests = Array.from({ length: 60 }, (_, at) => request({ search: `search-${at % 20}` }));
    engine.generate(requests);
    await finish(requests);
    const searches = new Map(requests.map(({ seed, search }) => [seed, search]));
    const served = servers.map((server) =>
      server.bodies('/v1/completions').map(({ seed }) => searches.get(Number(seed))),
    );
    const [left, right] = served.map((each) => new Set(each.filter((search) => search !== undefined)));
    expect(left!.size + right!.size).toBe(20);
    expect([...left!].filter((key) => right!.has(key))).toEqual([]);
    expect(left!.size).toBe(10);
  });

  it('are told nothing of routing: this engine is the router', async () => {
    const servers = pair();
    const { engine, request, finish } = await open(servers);
    const requests = [request({ search: 'a' }), request({ search: 'b' })];
    engine.generate(requests);
    await finish(requests);
    const names = servers.flatMap(({ seen }) => seen.flatMap(({ headers }) => Object.keys(headers)));
    expect(names.filter((name) => /session|routing|fairness/.test(name))).toEqual([]);
  });

  it.each([
    ['vllm', ['x-session-id']],
    ['sglang', ['x-smg-routing-key']],
    ['llm-d', ['x-session-id', 'x-llm-d-inference-fairness-id']],
    ['dynamo', ['x-dynamo-session-id']],
  ] as const)('behind a router (%s) share one value per search in its own headers', async (router, names) => {
    const server = new VllmServer();
    const { engine, request, finish } = await open([server], { router });
    const requests = [request({ search: 'a' }), request({ search: 'a' }), request({ search: 'b' })];
    engine.generate(requests);
    await finish(requests);
    const sent = server.seen.filter(({ body }) => requests.some(({ seed }) => seed === body.seed));
    for (const name of names) {
      const values = requests.map(({ seed }) => sent.find(({ body }) => body.seed === seed)?.headers[name]);
      expect(values[0]).toMatch(/^[0-9a-f]{16}$/);
      expect([values[0] === values[1], values[0] === values[2]]).toEqual([true, false]);
    }
  });

  it('take over what a hanging one holds, which then comes back on trial', async () => {
    const [hanging, sound] = pair();
    const { engine, request, finish, answer, timers, until, events } = await open([hanging, sound]);
    hanging.mischief = failing(100, { type: 'hang', afterTokens: 1 });
    const requests = Array.from({ length: 8 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await until(() => hanging.generating === 4);
    await until(() => requests.filter(({ id }) => answer(id) !== undefined).length === 4);
    timers.advance(31_000);
    await finish(requests);
    expect(requests.map(({ id }) => answer(id)?.type)).toEqual(requests.map(() => 'step'));
    expect(events).toMatchObject([{ type: 'replica-down', url: hanging.url }]);
    hanging.mischief = () => ({ type: 'none' });
    await until(() => engine.status()[0]?.state === 'half-open', 100);
    const more = Array.from({ length: 4 }, (_, at) => request({ search: `later-${at}` }));
    engine.generate(more);
    await finish(more);
    expect(engine.status()[0]?.state).toBe('closed');
  });

  it('take over from one that dies after a few tokens', async () => {
    const [dying, sound] = pair();
    const { engine, request, finish, answer } = await open([dying, sound]);
    dying.mischief = () => ({ type: 'die', afterTokens: 3 });
    const requests = Array.from({ length: 10 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await finish(requests);
    expect(requests.map(({ id }) => answer(id)?.type)).toEqual(requests.map(() => 'step'));
    expect(engine.status()[0]?.state).toBe('open');
  });

  it('wait while all are dead, say so when given up, and go on when one is back', async () => {
    const [first, second] = pair();
    const { engine, request, finish, answer, until, events } = await open([first, second]);
    const port = Number(new URL(first.url).port);
    await first.close();
    await second.close();
    const requests = Array.from({ length: 6 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await until(() => events.length === 2 && engine.load().waitingSequences === 6);
    expect(engine.load()).toMatchObject({ healthy: false, runningSequences: 0, sequenceLimit: 0 });
    engine.cancel([requests[0]!.id]);
    expect(JSON.stringify(answer(requests[0]!.id))).toContain('nothing listens there');
    const back = await new VllmServer({ vocabulary: first.vocabulary }).listen(port);
    await finish(requests, 100);
    expect(requests.slice(1).map(({ id }) => answer(id)?.type)).toEqual(requests.slice(1).map(() => 'step'));
    await back.close();
  });

  it('are waited for no longer than patienceMs', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server], { patienceMs: 5000 });
    await server.close();
    const one = request();
    engine.generate([one]);
    await finish([one], 500);
    expect(answer(one.id)).toMatchObject({ type: 'fault', fault: { code: 'unavailable', retryable: true } });
  });
});
