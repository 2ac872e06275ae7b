// An outage that is longer than a call may take: the work waits for a server, and the clock of the call stands still. Real
// sockets, the real engine, verifier and runtime; only time is moved by hand.

import { expect, it, onTestFinished } from 'vitest';
import { extractAnswer } from '../../packages/core/src/answer/extract.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import { createPolicy } from '../../packages/core/src/policy/create.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import type { SearchResult } from '../../packages/core/src/runtime/search/request.ts';
import { openRemoteVerifier } from '../../packages/core/src/verifier/remote/open-verifier.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { ManualTimers } from '../support/manual-timers.ts';
import { turn } from '../support/until.ts';

const requestTimeoutMs = 4000;

async function serve() {
  const timers = new ManualTimers();
  const generator = await new VllmServer({ depth: 2 }).listen();
  const scorer = await new VllmServer().listen();
  const engine = await openRemoteEngine({ servers: [{ url: generator.url }], timers });
  const verifier = await openRemoteVerifier({ kind: 'qwen-prm', servers: [{ url: scorer.url }], timers });
  const results: SearchResult[] = [];
  const faults: string[] = [];
  const policy = createPolicy('vanilla');
  const runtime = new Runtime({
    engine,
    verifier,
    scheduler: policy.scheduler,
    budget: 8,
    clock: timers,
    requestTimeoutMs,
    onEnd: (result) => results.push(result),
    onFault: (_, { code, message }) => faults.push(`${code}: ${message}`),
  });
  onTestFinished(async () => {
    await Promise.all([engine.close(), verifier.close(), generator.close(), scorer.close()]);
  });
  const until = async (holds: () => boolean, stepMs: number) => {
    while (!holds()) {
      runtime.step();
      await turn();
      timers.advance(stepMs);
    }
  };
  const submit = () =>
    runtime.submit({
      id: 'a',
      prompt: { kind: 'chat', messages: [{ role: 'user', content: 'How many?' }] },
      program: createMcts({ rollouts: 2, branching: 3, maxDepth: 10 }),
      rules: policy.rules,
      limits: { threshold: 0.99, rollouts: 2 },
      seed: 1,
      priority: 0,
      delimiters: ['\n\n'],
      stepTokens: 64,
      extract: extractAnswer,
    });
  return { timers, generator, scorer, engine, verifier, results, faults, until, submit };
}

async function restart(server: VllmServer, whileDown: () => Promise<void>): Promise<void> {
  const port = Number(new URL(server.url).port);
  await server.close();
  await whileDown();
  const back = await new VllmServer({ vocabulary: server.vocabulary, depth: 2 }).listen(port);
  onTestFinished(() => back.close());
}

it('a search outlives an outage of its engine that is five times as long as one call may take', async () => {
  const { timers, generator, engine, results, faults, until, submit } = await serve();
  let tokens = 0;
  // Holds the first generation in the middle, so that it is on the wire when the server dies.
  generator.pace = () => {
    tokens += 1;
    return tokens < 3 ? turn() : new Promise(() => {});
  };
  submit();
  await until(() => tokens >= 3, 0);
  await restart(generator, () => {
    const endMs = timers.nowMs() + 5 * requestTimeoutMs;
    return until(() => !engine.load().healthy && timers.nowMs() >= endMs, 50);
  });
  expect(results).toEqual([]);
  await until(() => results.length > 0, 20);
  expect(results[0]).toMatchObject({ exit: { kind: 'exhausted' }, answer: { complete: true } });
  expect(faults).toEqual([]);
});

it('and one of its verifier', async () => {
  const { timers, scorer, verifier, results, faults, until, submit } = await serve();
  await restart(scorer, () => {
    submit();
    const endMs = timers.nowMs() + 5 * requestTimeoutMs;
    return until(() => !verifier.load().healthy && timers.nowMs() >= endMs, 50);
  });
  expect(results).toEqual([]);
  await until(() => results.length > 0, 20);
  expect(results[0]?.exit.kind).toBe('exhausted');
  expect(faults).toEqual([]);
});
