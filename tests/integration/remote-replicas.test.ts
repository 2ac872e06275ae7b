// Several servers of one remote engine: which of them a search stays with, and what the others do when one hangs or dies; over real sockets.

import { describe, expect, it } from 'vitest';
import { Vocabulary } from '../servers/model.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { benchOfEach, failing, openBench } from './remote-bench.ts';

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

  it('keep the searches of a session together, in this process and in another, and its salt goes along', async () => {
    const servers = pair();
    const homes = new Map<string, number[]>();
    const first = await open(servers);
    for (const { engine, request, finish } of [first, await openBench(servers)]) {
      for (let at = 0; at < 40; at += 1) {
        const session = { route: `route ${at % 20}`, salt: `salt ${at % 20}` };
        const one = request({ search: `search-${at}`, session });
        engine.generate([one]);
        await finish([one]);
        engine.release(one.search);
      }
      await engine.close();
    }
    // A server is tried once, without a session.
    for (const [at, server] of servers.entries())
      for (const { cache_salt: salt } of server.bodies('/v1/completions'))
        if (salt !== undefined) homes.set(String(salt), [...(homes.get(String(salt)) ?? []), at]);
    expect(homes.size).toBe(20);
    for (const each of homes.values()) expect([each.length, new Set(each).size]).toEqual([4, 1]);
    expect(new Set([...homes.values()].flat()).size).toBe(2);
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
    ['llm-d', ['x-session-id', 'x-llm-d-inference-fairness-id', 'x-gateway-inference-fairness-id']],
    ['dynamo', ['x-dynamo-session-id']],
  ] as const)(
    'behind a router (%s) share one value per search or session in its own headers',
    async (router, names) => {
      const server = new VllmServer();
      const { engine, request, finish } = await open([server], { router });
      const session = { route: 'r' };
      const named = [request({ search: 'c', session }), request({ search: 'd', session })];
      const requests = [request({ search: 'a' }), request({ search: 'a' }), request({ search: 'b' }), ...named];
      engine.generate(requests);
      await finish(requests);
      const sent = server.seen.filter(({ body }) => requests.some(({ seed }) => seed === body.seed));
      for (const name of names) {
        const values = requests.map(({ seed }) => sent.find(({ body }) => body.seed === seed)?.headers[name]);
        expect(values[0]).toMatch(/^[0-9a-f]{16}$/);
        expect([values[0] === values[1], values[0] === values[2], values[3] === values[4]]).toEqual([
          true,
          false,
          true,
        ]);
      }
    },
  );

  interface Hints {
    readonly priority: number;
    readonly osl: number;
  }

  /** What a server was told beside its own wire: headers and fields of the steps of a search in each lane. */
  const told = async (router: 'llm-d' | 'dynamo' | 'none', server = new VllmServer()) => {
    const { engine, request, finish } = await open([server], { router });
    const requests = [
      request({ search: 'a', lane: 'primary', priority: 3 }),
      request({ search: 'b', lane: 'speculative' }),
      request({ search: 'b' }),
    ];
    engine.generate(requests);
    await finish(requests);
    return requests.map(({ seed }) => server.seen.find(({ body }) => body.seed === seed)!);
  };

  it("name llm-d's objectives by lane, under its new and its old header", async () => {
    const sent = await told('llm-d');
    for (const name of ['x-llm-d-inference-objective', 'x-gateway-inference-objective'])
      expect(sent.map(({ headers }) => headers[name])).toEqual(['coppice', 'coppice-speculative', 'coppice']);
  });

  it("tell Dynamo's router how urgent a step is and how long it may become", async () => {
    const [first, speculative] = (await told('dynamo')).map(({ body }) => body.nvext as { agent_hints: Hints });
    expect(first).toEqual({ agent_hints: { priority: 3, osl: expect.any(Number) } });
    const { priority, osl } = speculative!.agent_hints;
    expect(priority).toBeLessThan(0);
    expect(osl).toBeLessThanOrEqual(64);
    expect((await told('none')).map(({ body }) => body.nvext)).toEqual([undefined, undefined, undefined]);
  });

  it('of several ranks behind one address get the steps of one search at one of them', async () => {
    const sent = await told('none', new VllmServer({ ranks: 4 }));
    expect(sent.map(({ headers }) => headers['x-data-parallel-rank'])).toEqual(['0', '1', '1']);
    expect((await told('none'))[0]!.headers).not.toHaveProperty('x-data-parallel-rank');
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
    await until(() => engine.load().replicas?.out === 0, 100);
    const more = Array.from({ length: 4 }, (_, at) => request({ search: `later-${at}` }));
    engine.generate(more);
    await finish(more);
    expect(events.at(-1)).toMatchObject({ type: 'replica-up', url: hanging.url });
  });

  it('take over from one that dies after a few tokens', async () => {
    const [dying, sound] = pair();
    const { engine, request, finish, answer } = await open([dying, sound]);
    dying.mischief = () => ({ type: 'die', afterTokens: 3 });
    const requests = Array.from({ length: 10 }, (_, at) => request({ search: `search-${at}` }));
    engine.generate(requests);
    await finish(requests);
    expect(requests.map(({ id }) => answer(id)?.type)).toEqual(requests.map(() => 'step'));
    expect(engine.load().replicas).toMatchObject({ out: 1 });
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
