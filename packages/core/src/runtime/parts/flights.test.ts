import { expect, it } from 'vitest';
import { simpleScheduler } from '../../../../../tests/support/simple-scheduler.ts';
import { VirtualClock } from '../../base/clock.ts';
import { fault } from '../../base/fault.ts';
import type { Engine, EngineMessage, RequestId } from '../../engine/engine.ts';
import { createGreedy } from '../../program/best-of-n.ts';
import { Runtime } from '../runtime.ts';
import type { SearchResult } from '../search/request.ts';

/** One greedy search on an engine that says only what the test says. */
function world(maxFailures = 1, saidAtOnce: readonly ('held' | 'taken')[] = []) {
  let wakes = 0;
  const clock = new VirtualClock();
  const asked: RequestId[] = [];
  const depths = new Map<RequestId, number>();
  const results: SearchResult[] = [];
  const faults: string[] = [];
  let post: (message: EngineMessage) => void = () => {};
  const flags = { seeded: true, logprobs: true, streams: true, priorities: true, countsCache: true };
  const load = {
    runningSequences: 0,
    waitingSequences: 0,
    sequenceLimit: undefined,
    stepMs: undefined,
    healthy: true,
  };
  const engine: Engine = {
    capabilities: { name: 'told', ...flags, contextTokens: undefined },
    connect: (to) => {
      post = to;
    },
    generate: (requests) => {
      for (const { id, path } of requests) depths.set(id, path.length);
      asked.push(...requests.map(({ id }) => id));
      for (const { id } of requests) for (const type of saidAtOnce) post({ type, request: id });
    },
    cancel: () => {},
    release: () => {},
    load: () => load,
    close: async () => {},
  };
  const runtime = new Runtime({
    engine,
    scheduler: simpleScheduler(),
    budget: 1,
    clock,
    requestTimeoutMs: 4000,
    maxFailures,
    wake: () => {
      wakes += 1;
    },
    onEnd: (result) => results.push(result),
    onFault: (_, fault) => faults.push(fault.message),
  });
  runtime.submit({
    id: 'a',
    prompt: { kind: 'text', text: 'a' },
    program: createGreedy(),
    rules: { exits: [], prunes: [], boost: false },
    limits: { threshold: 0.5, rollouts: 1 },
    seed: 1,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 8,
    extract: (text) => text,
  });
  runtime.step();
  const say = (type: 'held' | 'taken') => post({ type, request: asked[0]! });
  const stream = (tokens: number) => post({ type: 'token', request: asked[0]!, text: 'x', tokens });
  const answer = () => {
    const step = { text: 'four', tokens: 1, meanLogprob: -1, end: 'eos' } as const;
    const usage = { computedTokens: 1, cachedTokens: 0, generatedTokens: 1 };
    post({ type: 'step', request: asked[0]!, step, usage });
  };
  /** To the latest request: a first line like any other, and nothing below it. */
  const answerAtFirst = () => {
    const request = asked.at(-1)!;
    const step = { text: 'one\n', tokens: 1, meanLogprob: -1, end: 'delimiter' } as const;
    const usage = { computedTokens: 1, cachedTokens: 0, generatedTokens: 1 };
    const tooLong = fault('too-long', 'the path does not fit');
    post(
      depths.get(request) === 0 ? { type: 'step', request, step, usage } : { type: 'fault', request, fault: tooLong },
    );
  };
  const at = (ms: number) => {
    clock.moveTo(ms);
    runtime.step();
  };
  return { runtime, results, faults, asked, say, stream, answer, answerAtFirst, at, wakes: () => wakes };
}

it('what a server says of custody while it is asked costs no step; what it says later is waited for from then on', () => {
  const { runtime, say, wakes, at } = world(1, ['held', 'taken']);
  expect([wakes(), runtime.hasMail, runtime.nextWakeMs()]).toEqual([1, false, 4000]);
  at(1000);
  say('held');
  say('taken');
  expect([wakes(), runtime.hasMail, runtime.nextWakeMs()]).toEqual([3, false, 5000]);
});

it('the clock of a request stands still while it is held, and begins anew when a server takes it', () => {
  const { runtime, results, faults, say, answer, at } = world();
  at(1500);
  say('held');
  at(1500);
  expect(runtime.nextWakeMs()).toBeUndefined();
  at(20_000);
  say('taken');
  at(20_000);
  expect(runtime.nextWakeMs()).toBe(24_000);
  at(23_999);
  answer();
  at(23_999);
  expect(results.map(({ exit }) => exit.kind)).toEqual(['exhausted']);
  expect(faults).toEqual([]);
});

it('a server that has the work and does not answer is given up after the limit', () => {
  const { results, faults, say, at } = world();
  say('held');
  at(10_000);
  say('taken');
  at(10_000);
  at(13_999);
  expect(results).toEqual([]);
  at(14_000);
  expect(results.map(({ exit }) => exit.kind)).toEqual(['failed']);
  expect(faults).toEqual(['no answer from the engine in 4000 ms (requestTimeoutMs)']);
});

it('a stream that grows is slow and not lost; one that stands still is given up', () => {
  const { results, faults, stream, at } = world();
  stream(1);
  at(4000);
  at(7999);
  stream(2);
  at(8000);
  expect(results).toEqual([]);
  at(12_000);
  expect(results.map(({ exit }) => exit.kind)).toEqual(['failed']);
  expect(faults).toEqual(['no answer from the engine in 4000 ms (requestTimeoutMs)']);
});

it('an engine that never speaks of custody has the work from the start', () => {
  const { runtime, results, at } = world();
  expect(runtime.nextWakeMs()).toBe(4000);
  at(4000);
  expect(results.map(({ exit }) => exit.kind)).toEqual(['failed']);
});

it('a search whose only path outgrows the context fails, though every try begins with the same good line', () => {
  const { results, asked, answerAtFirst, at } = world(3);
  for (let round = 0; results.length === 0 && round < 20; round += 1) {
    answerAtFirst();
    at(round);
  }
  expect(results.map(({ exit }) => exit.kind)).toEqual(['failed']);
  expect(asked).toHaveLength(6);
});
