// How much the remote engine sends at a time: the slots that a server tells, and the limit that has to be found; over real sockets.

import { describe, expect, it } from 'vitest';
import type { ReplicaEvent } from '../../packages/core/src/engine/remote/replica/health.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { benchOfEach, failing, holdAt } from './remote-bench.ts';

const open = benchOfEach();

describe('the queue', () => {
  it('keeps within the slots that the server has, and takes primary work first', async () => {
    const server = new LlamaTestServer({ slots: 2 });
    const { engine, request, until, answer, finish } = await open([server]);
    const letGo = holdAt(server, 0);
    const speculative = Array.from({ length: 4 }, (_, at) =>
      request({ lane: 'speculative', priority: 9, expansion: at }),
    );
    const primary = Array.from({ length: 4 }, (_, at) => request({ priority: at }));
    engine.generate([...speculative, ...primary]);
    await until(() => server.generating === 2);
    expect(engine.load()).toMatchObject({ runningSequences: 2, waitingSequences: 6, sequenceLimit: 2 });
    letGo();
    await finish([...speculative, ...primary]);
    expect(server.mostAtOnce).toBe(2);
    const seeds = server.bodies('/completion').map((body) => body.seed);
    // Two go at a time, on sockets of their own: each pair may arrive in either order.
    const pairs = [seeds.slice(0, 2), seeds.slice(2, 4)].map((each) => new Set(each));
    expect(pairs).toEqual([
      new Set([primary[3]!.seed, primary[2]!.seed]),
      new Set([primary[1]!.seed, primary[0]!.seed]),
    ]);
    expect(answer(speculative[3]!.id)?.type).toBe('step');
  });

  it('tells the time that requests wait here for room, and the time that the server has them', async () => {
    const server = new LlamaTestServer({ slots: 1 });
    const { engine, request, until, finish, timers } = await open([server]);
    const letGo = holdAt(server, 0);
    const requests = [request(), request()];
    engine.generate(requests);
    await until(() => server.generating === 1);
    timers.advance(300);
    letGo();
    await finish(requests);
    expect(engine.load()).toMatchObject({ times: { answers: 2, heldMs: 300, servedMs: 300 }, atServers: 0 });
  });

  it('shrinks what it sends after a 503, and tries again', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server], { dialect: 'vllm' });
    server.mischief = failing(2, { type: 'status', status: 503, message: 'The request queue is full.' });
    const before = engine.load().sequenceLimit!;
    const one = request();
    engine.generate([one]);
    await finish([one], 200);
    expect(answer(one.id)?.type).toBe('step');
    expect(engine.load().sequenceLimit).toBeLessThan(before);
    expect(engine.load().replicas).toMatchObject({ up: 1, out: 0 });
  });
});

describe('an unknown limit', () => {
  it('doubles at each reading while nothing waits at the server, then becomes what the server runs', async () => {
    const server = new VllmServer();
    const { engine, request, finish, until, timers } = await open([server]);
    const letGo = holdAt(server, 0);
    const requests = Array.from({ length: 300 }, (_, at) => request({ search: `search-${at % 10}` }));
    engine.generate(requests);
    for (const room of [32, 64, 128, 256]) {
      await until(() => server.generating === room);
      expect(engine.load().runningSequences).toBe(room);
      timers.advance(250);
    }
    await until(() => server.generating === 300);
    server.waiting = 100;
    server.generatingShown = 200;
    await until(() => engine.load().sequenceLimit === 200, 250);
    expect(engine.load()).toMatchObject({ runningSequences: 300, atServers: 200, queuedMs: 1500, computedMs: 60_000 });
    letGo();
    await finish(requests);
    expect(engine.load().runningSequences).toBe(0);
  });

  it('follows a server that runs less in the middle of the work and more again later, loses nothing, and says so once', async () => {
    const server = new VllmServer();
    const events: ReplicaEvent[] = [];
    const { engine, request, finish, until, timers } = await open([server], { observe: (event) => events.push(event) });
    const letGo = holdAt(server, 0);
    const requests = Array.from({ length: 100 }, (_, at) => request({ search: `search-${at % 10}` }));
    engine.generate(requests);
    const limited = (limit: number) => until(() => engine.load().sequenceLimit === limit, 250);
    await limited(64);
    [server.waiting, server.generatingShown] = [5, 48];
    await limited(48);
    expect(events).toEqual([]);
    timers.advance(1000);
    server.generatingShown = 20;
    await limited(20);
    const reason = 'runs 20 sequences at a time where it ran 48';
    expect(events).toEqual([{ type: 'replica-limit', url: server.url, reason }]);
    [server.waiting, server.generatingShown] = [0, 20];
    timers.advance(10_000);
    await until(() => engine.load().sequenceLimit! > 22, 250);
    letGo();
    await finish(requests);
    expect(events).toHaveLength(1);
  });

  it('is remembered by a replica that was out and came back as it was', async () => {
    const server = new VllmServer();
    const { engine, request, finish, until, timers } = await open([server]);
    const letGo = holdAt(server, 0);
    const requests = Array.from({ length: 60 }, () => request());
    engine.generate(requests);
    await until(() => server.generating === 32);
    timers.advance(250);
    await until(() => engine.load().sequenceLimit === 64);
    letGo();
    await finish(requests);
    server.mischief = failing(1, { type: 'cut', afterTokens: 0 });
    const port = Number(new URL(server.url).port);
    await server.close();
    const late = request();
    engine.generate([late]);
    await until(() => engine.load().replicas?.out === 1);
    const back = await new VllmServer({ vocabulary: server.vocabulary }).listen(port);
    await finish([late], 100);
    expect(engine.load().sequenceLimit).toBe(64);
    await back.close();
  });

  it('doubles with rounds of answers while it is felt and no gauge has been read', async () => {
    const server = new VllmServer();
    const { engine, request, finish } = await open([server]);
    const requests = Array.from({ length: 200 }, (_, at) => request({ search: `search-${at % 10}` }));
    engine.generate(requests);
    expect(engine.load().runningSequences).toBe(32);
    await finish(requests);
    expect(engine.load().sequenceLimit).toBeGreaterThanOrEqual(64);
  });

  it('is not cut because an answer in one piece is long, where no gauge can be read', async () => {
    class Blind extends VllmServer {
      protected override route(...asked: Parameters<VllmServer['route']>): Promise<unknown> {
        return asked[0] === 'GET /metrics' ? this.refuse(404, 'Not Found') : super.route(...asked);
      }
    }
    const server = new Blind();
    const { engine, request, finish, until, timers } = await open([server]);
    const needs = { logprobs: false, tokens: false, seed: false };
    const short = request({ needs });
    engine.generate([short]);
    await finish([short]);
    const letGo = holdAt(server, 0);
    const long = request({ needs });
    engine.generate([long]);
    await until(() => server.generating === 1);
    timers.advance(5000);
    letGo();
    await finish([long]);
    expect(server.bodies('/v1/completions').at(-1)?.stream).not.toBe(true);
    expect(engine.load().sequenceLimit).toBe(32);
  });
});
