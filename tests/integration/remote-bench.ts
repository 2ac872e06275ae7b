// A remote engine over test servers with a clock that stands still unless moved: what the tests of its failures share.

import { afterEach } from 'vitest';
import { type EngineMessage, type GenerateRequest, isAnswer } from '../../packages/core/src/engine/engine.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import type { RemoteEngineOptions } from '../../packages/core/src/engine/remote/options.ts';
import type { RemoteEngine } from '../../packages/core/src/engine/remote/remote-engine.ts';
import type { ReplicaEvent } from '../../packages/core/src/engine/remote/replica/health.ts';
import { tipKey } from '../../packages/core/src/testing/case/paths.ts';
import type { Mischief, TestServer } from '../servers/server.ts';
import { ManualTimers } from '../support/manual-timers.ts';
import { turn } from '../support/until.ts';

export interface RemoteBench {
  readonly engine: RemoteEngine;
  readonly timers: ManualTimers;
  readonly inbox: readonly EngineMessage[];
  readonly events: readonly ReplicaEvent[];
  /** A request with what the overrides leave open filled in. */
  request(overrides?: Partial<GenerateRequest>): GenerateRequest;
  /** The one answer to a request, once there is one. */
  answer(id: number): Exclude<EngineMessage, { type: 'token' | 'held' | 'taken' }> | undefined;
  /** Lets sockets and the clock go on until something holds; the clock moves by `stepMs` per turn. */
  until(condition: () => boolean, stepMs?: number): Promise<void>;
  finish(requests: readonly GenerateRequest[], stepMs?: number): Promise<void>;
  close(): Promise<void>;
}

const turnsLimit = 20_000;

export async function openBench(
  servers: readonly TestServer[],
  options: Partial<RemoteEngineOptions> = {},
): Promise<RemoteBench> {
  const timers = new ManualTimers();
  const events: ReplicaEvent[] = [];
  const urls = servers.map(({ url }) => ({ url }));
  const observe = (event: ReplicaEvent): void => void events.push(event);
  const engine = await openRemoteEngine({ servers: urls, timers, observe, ...options });
  const inbox: EngineMessage[] = [];
  engine.connect((message) => inbox.push(message));
  let nextId = 1;

  const answersTo = (id: number) => inbox.filter(isAnswer).filter((each) => each.request === id);
  const bench: RemoteBench = {
    engine,
    timers,
    inbox,
    events,
    request(overrides = {}) {
      const id = nextId;
      nextId += 1;
      return {
        id,
        search: 'search-1',
        prompt: { kind: 'chat', messages: [{ role: 'user', content: 'How many?' }] },
        parent: tipKey(overrides.path ?? []),
        path: [],
        index: id,
        sampling: { temperature: 1 },
        seed: id * 31,
        delimiters: ['\n\n'],
        maxTokens: 64,
        lane: 'primary',
        priority: 0,
        ...overrides,
      };
    },
    answer(id) {
      const answers = answersTo(id);
      if (answers.length > 1) throw new Error(`request ${id} was answered ${answers.length} times`);
      return answers[0];
    },
    async until(condition, stepMs = 0) {
      for (let turn = 0; !condition(); turn += 1) {
        if (turn > turnsLimit) throw new Error('it never came about');
        if (stepMs > 0) timers.advance(stepMs);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    },
    finish: (requests, stepMs) => bench.until(() => requests.every(({ id }) => bench.answer(id) !== undefined), stepMs),
    async close() {
      await engine.close();
      for (const server of servers) await server.close();
    },
  };
  return bench;
}

/** The first `count` generations go wrong, the others do not. */
export function failing(count: number, mischief: Mischief): () => Mischief {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0 ? mischief : { type: 'none' };
  };
}

/** Opens benches of a test, their servers listening, and closes them after it. */
export function benchOfEach(): typeof openBench {
  const opened: RemoteBench[] = [];
  afterEach(async () => {
    for (const bench of opened.splice(0)) await bench.close();
  });
  return async (servers, options = {}) => {
    for (const server of servers) await server.listen();
    const bench = await openBench(servers, options);
    opened.push(bench);
    return bench;
  };
}

/** Holds every generation before its token number `at`, until it is let go. */
export function holdAt(server: TestServer, at: number): () => void {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  server.pace = (token) => (token < at ? turn() : gate);
  return letGo;
}
