// Many MCTS searches through the real runtime, the real remote engine and the real remote verifier, over test servers that
// somebody may kill meanwhile. Run as a program it prints the latencies with and without a kill:
// `node tests/servers/many-searches.ts`.

import { extractAnswer } from '../../packages/core/src/answer/extract.ts';
import { type Engine, type EngineMessage, isAnswer } from '../../packages/core/src/engine/engine.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import { createPolicy } from '../../packages/core/src/policy/create.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import { LiveLoop, systemClock } from '../../packages/core/src/runtime/live.ts';
import { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import type { SearchRequest, SearchResult } from '../../packages/core/src/runtime/search/request.ts';
import { openRemoteVerifier } from '../../packages/core/src/verifier/remote/open-verifier.ts';
import { Vocabulary } from './model.ts';
import { VllmServer } from './vllm-server.ts';

export interface Wood {
  readonly runtime: Runtime;
  readonly engine: Engine;
  readonly servers: readonly VllmServer[];
  readonly results: readonly SearchResult[];
  /** Answers to each engine request: 1 everywhere, or something was lost or doubled. */
  readonly answers: ReadonlyMap<number, number>;
  readonly late: number;
  submit(count: number, limits?: Partial<SearchRequest['limits']>): void;
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** `tokenMs` is the pace of the servers; 0 is as fast as they can. */
export async function plantWood(replicas: number, tokenMs: number): Promise<Wood> {
  const vocabulary = new Vocabulary();
  const servers: VllmServer[] = [];
  for (let at = 0; at < replicas; at += 1) servers.push(await new VllmServer({ vocabulary, depth: 2 }).listen());
  const scoring = await new VllmServer({ vocabulary }).listen();
  scoring.reward = (text) => 0.5 + (text.length % 50) / 100;
  if (tokenMs > 0)
    for (const server of servers) server.pace = () => new Promise((resolve) => setTimeout(resolve, tokenMs));
  const engine = await openRemoteEngine({ servers: servers.map(({ url }) => ({ url })), inFlight: 64 });
  const verifier = await openRemoteVerifier({ kind: 'qwen-prm', servers: [{ url: scoring.url }] });

  const results: SearchResult[] = [];
  const answers = new Map<number, number>();
  const watched = watch(engine, answers);
  const policy = createPolicy('positive');
  const loop = new LiveLoop();
  const runtime = new Runtime({
    engine: watched,
    verifier,
    scheduler: policy.scheduler,
    budget: 32,
    clock: systemClock,
    onEnd: (result) => results.push(result),
    wake: loop.wake,
  });
  loop.drive(runtime);
  let submitted = 0;
  return {
    runtime,
    engine,
    servers,
    results,
    answers,
    get late() {
      return [...answers.values()].filter((times) => times > 1).length;
    },
    submit(count, limits = {}) {
      for (let at = 0; at < count; at += 1) {
        submitted += 1;
        runtime.submit({
          id: `search-${submitted}`,
          prompt: { kind: 'chat', messages: [{ role: 'user', content: `Question ${submitted}?` }] },
          program: createMcts({ rollouts: 2, branching: 3, maxDepth: 10 }),
          rules: policy.rules,
          limits: { threshold: 0.99, rollouts: 2, ...limits },
          seed: submitted,
          priority: 0,
          delimiters: ['\n\n'],
          stepTokens: 64,
          extract: extractAnswer,
        });
      }
    },
    async until(condition) {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    async close() {
      loop.stop();
      await Promise.all([engine.close(), verifier.close(), scoring.close(), ...servers.map((each) => each.close())]);
    },
  };
}

/** The engine, with every answer to every request counted. */
function watch(engine: Engine, answers: Map<number, number>): Engine {
  return {
    capabilities: engine.capabilities,
    connect: (post) =>
      engine.connect((message: EngineMessage) => {
        if (isAnswer(message)) answers.set(message.request, (answers.get(message.request) ?? 0) + 1);
        post(message);
      }),
    generate: (requests) => {
      for (const { id } of requests) answers.set(id, 0);
      engine.generate(requests);
    },
    cancel: (requests) => engine.cancel(requests),
    release: (search) => engine.release(search),
    load: () => engine.load(),
    close: () => engine.close(),
  };
}

/** The value below which a share of the sorted values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function measure(kill: boolean): Promise<void> {
  const wood = await plantWood(2, 5);
  wood.submit(100);
  await wood.until(() => wood.results.length >= 30);
  if (kill) await wood.servers[0]!.close();
  await wood.until(() => wood.results.length === 100);
  const latencies = wood.results.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs);
  const shown = [0.5, 0.99].map((share) => Math.round(quantile(latencies, share)));
  const answered = wood.results.filter(({ answer }) => answer?.complete === true).length;
  console.log(
    `${kill ? 'one of two killed' : 'both replicas up'}: answered ${answered} of 100, p50 ${shown[0]} ms, p99 ${shown[1]} ms`,
  );
  await wood.close();
}

if (process.argv[1]?.endsWith('many-searches.ts') === true) {
  console.log(
    '100 searches, 2 rollouts of 3 steps, budget 32, 2 replicas at 5 ms per token (test servers on this machine)',
  );
  await measure(false);
  await measure(true);
}
