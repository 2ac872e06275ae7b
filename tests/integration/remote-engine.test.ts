// What the remote engine does when servers are slow, refuse, break, hang, lie or die, over real sockets.

import { afterEach, describe, expect, it } from 'vitest';
import type { ReplicaEvent } from '../../src/engine/remote/replica/health.ts';
import type { Step } from '../../src/tree/step.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { Vocabulary } from '../servers/model.ts';
import { PlainServer } from '../servers/plain-server.ts';
import type { Mischief, TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { pathOf } from '../support/paths.ts';
import { turn } from '../support/until.ts';
import { openBench, type RemoteBench } from './remote-bench.ts';

let bench: RemoteBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

async function open(
  servers: readonly TestServer[],
  options: Parameters<typeof openBench>[1] = {},
): Promise<RemoteBench> {
  for (const server of servers) await server.listen();
  bench = await openBench(servers, options);
  return bench;
}

/** The first `count` generations go wrong, the others do not. */
function failing(count: number, mischief: Mischief): () => Mischief {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0 ? mischief : { type: 'none' };
  };
}

/** Holds every generation before its token number `at`, until it is let go. */
function holdAt(server: TestServer, at: number): () => void {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  server.pace = (token) => (token < at ? turn() : gate);
  return letGo;
}

describe('cancellation', () => {
  const kinds: readonly (readonly [string, () => TestServer])[] = [
    ['vllm', () => new VllmServer()],
    ['sglang', () => new SglangServer()],
    ['llama-server', () => new LlamaTestServer()],
    ['openai', () => new PlainServer()],
  ];

  it.each(kinds)('reaches a %s before its next token, and counts what had come', async (_, make) => {
    const server = make();
    const { engine, inbox, request, until, answer } = await open([server]);
    const letGo = holdAt(server, 2);
    const one = request();
    engine.generate([one]);
    await until(() => inbox.filter((each) => each.type === 'token').length >= 2);
    engine.cancel([one.id]);
    expect(answer(one.id)).toMatchObject({
      type: 'fault',
      fault: { code: 'cancelled' },
      usage: { generatedTokens: 2, exact: false },
    });
    const heard = inbox.length;
    await until(() => server.openStreams === 0);
    if (server instanceof SglangServer) await until(() => server.aborted.length === 1);
    letGo();
    await until(() => server.abandoned === 1);
    expect(server.tokensWritten).toBe(2);
    expect(inbox.length).toBe(heard);
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  });

  it('of one sibling in a shared request leaves the others, of all closes it', async () => {
    const server = new LlamaTestServer();
    const { engine, request, until, answer, inbox } = await open([server]);
    const letGo = holdAt(server, 1);
    const siblings = [request({ seed: 7 }), request({ seed: 8 }), request({ seed: 9 })];
    engine.generate(siblings);
    await until(() => inbox.filter((each) => each.type === 'token').length >= 3);
    expect(server.bodies('/completion')).toMatchObject([{ n_cmpl: 3 }]);
    engine.cancel([siblings[0]!.id]);
    expect(server.openStreams).toBe(1);
    engine.cancel([siblings[1]!.id, siblings[2]!.id]);
    await until(() => server.openStreams === 0);
    letGo();
    expect(siblings.map(({ id }) => answer(id)?.type)).toEqual(['fault', 'fault', 'fault']);
  });
});

describe('the queue', () => {
  it('keeps within the slots that the server has, and takes primary work first', async () => {
    const server = new LlamaTestServer({ slots: 2 });
    const { engine, request, until, answer, finish } = await open([server], { siblings: 'single' });
    const letGo = holdAt(server, 0);
    const speculative = Array.from({ length: 4 }, () => request({ lane: 'speculative', priority: 9 }));
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
    expect(engine.status()[0]?.state).toBe('closed');
  });
});

describe('an unknown limit', () => {
  it('doubles at each reading while nobody waits at the server, then becomes what the server runs', async () => {
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
    server.waiting = 5;
    server.generatingShown = 200;
    await until(() => engine.load().sequenceLimit === 200, 250);
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
    await until(() => engine.status()[0]?.state === 'open');
    const back = await new VllmServer({ vocabulary: server.vocabulary }).listen(port);
    await finish([late], 100);
    expect(engine.load().sequenceLimit).toBe(64);
    await back.close();
  });

  it('grows by one a round while it is felt and no gauge has been read', async () => {
    const server = new VllmServer();
    const { engine, request, finish } = await open([server]);
    const requests = Array.from({ length: 200 }, (_, at) => request({ search: `search-${at % 10}` }));
    engine.generate(requests);
    expect(engine.load().runningSequences).toBe(32);
    await finish(requests);
    expect(engine.load().sequenceLimit).toBeGreaterThan(33);
    expect(server.mostAtOnce).toBeLessThan(45);
  });
});

describe('prefixes', () => {
  const withoutTokens = ({ text, tokens, meanLogprob, end }: Step): Step => ({ text, tokens, meanLogprob, end });

  it('renders the root once per search and continues by tokens', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server]);
    const first = Array.from({ length: 4 }, () => request());
    engine.generate(first);
    await finish(first);
    const reply = answer(first[0]!.id);
    if (reply?.type !== 'step') throw new Error('no step');
    const next = request({ path: pathOf(reply.step) });
    engine.generate([next]);
    await finish([next]);
    // Beside those by which the engine looked at the template when it was opened.
    const atOpening = 4;
    expect(server.bodies('/tokenize').length).toBe(atOpening + 1);
    const prompts = server.bodies('/v1/completions').map((body) => body.prompt as number[]);
    expect(prompts.at(-1)).toEqual([...prompts.at(-2)!, ...reply.step.tokenIds!]);
  });

  it('keeps the tokens of a path up to the first step that has none, and tokenises the rest as text', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server]);
    const first = request();
    engine.generate([first]);
    await finish([first]);
    const reply = answer(first.id);
    if (reply?.type !== 'step') throw new Error('no step');
    const path = pathOf(reply.step, withoutTokens(reply.step));
    const next = request({ path });
    engine.generate([next]);
    await finish([next]);
    expect(server.bodies('/tokenize').at(-1)).toMatchObject({
      prompt: reply.step.text,
      add_special_tokens: false,
    });
    const [before, after] = server
      .bodies('/v1/completions')
      .slice(-2)
      .map((body) => body.prompt as number[]);
    expect(after!.slice(0, before!.length + reply.step.tokenIds!.length)).toEqual([
      ...before!,
      ...reply.step.tokenIds!,
    ]);
    expect(answer(next.id)?.type).toBe('step');
  });

  it('reports the reuse that the server counted', async () => {
    const server = new SglangServer();
    const { engine, request, finish, answer } = await open([server]);
    const twice = [request({ seed: 1 }), request({ seed: 1 })];
    for (const each of twice) {
      engine.generate([each]);
      await finish([each]);
    }
    expect(answer(twice[1]!.id)).toMatchObject({ usage: { computedTokens: 1, exact: true } });
  });
});

describe('bad answers', () => {
  const mischiefs: readonly Mischief[] = [
    { type: 'status', status: 500 },
    { type: 'cut', afterTokens: 2 },
    { type: 'error-inside', afterTokens: 2 },
    { type: 'garbage' },
  ];

  it.each(mischiefs)('are tried again: $type', async (mischief) => {
    const server = new VllmServer();
    const { engine, request, finish, answer, inbox } = await open([server]);
    server.mischief = failing(1, mischief);
    const one = request();
    engine.generate([one]);
    await finish([one], 50);
    const reply = answer(one.id);
    if (reply?.type !== 'step') throw new Error(JSON.stringify(reply));
    const streamed = inbox.map((each) => (each.type === 'token' ? each.text : '')).join('');
    expect(reply.step.text.startsWith(streamed)).toBe(true);
  });

  it('are given up after four attempts, and say why', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer, events } = await open([server]);
    server.mischief = () => ({ type: 'garbage' });
    const one = request();
    engine.generate([one]);
    await finish([one], 500);
    expect(answer(one.id)).toMatchObject({ type: 'fault', fault: { code: 'protocol' } });
    expect(JSON.stringify(answer(one.id))).toContain(`${server.url} (vllm)`);
    expect(JSON.stringify(answer(one.id))).toContain('tried 4 times');
    expect(events.map((each) => each.type)).toContain('replica-down');
  });

  it('are no matter when only [DONE] is missing', async () => {
    for (const server of [new VllmServer(), new SglangServer(), new PlainServer()]) {
      server.mischief = () => ({ type: 'no-done' });
      const { engine, request, finish, answer } = await open([server]);
      const one = request();
      engine.generate([one]);
      await finish([one]);
      expect(answer(one.id)?.type).toBe('step');
      await bench?.close();
      bench = undefined;
    }
  });

  it('that are blank are drawn again with another seed, then refused', async () => {
    const server = new VllmServer();
    const { engine, request, finish, answer } = await open([server]);
    server.mischief = failing(1, { type: 'blank' });
    const lucky = request();
    engine.generate([lucky]);
    await finish([lucky], 100);
    expect(answer(lucky.id)?.type).toBe('step');
    const [first, second] = server.bodies('/v1/completions').slice(-2);
    expect(first?.seed).not.toBe(second?.seed);
    server.mischief = () => ({ type: 'blank' });
    const blank = request();
    engine.generate([blank]);
    await finish([blank], 100);
    expect(answer(blank.id)).toMatchObject({ fault: { code: 'bad-step' } });
  });
});

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
