// Many MCTS searches through the real runtime and the real remote engine, as many at a time as fill so many sequences, with
// rewards that cost nothing: tokens per second and the CPU time of this process, which holds all of coppice.

import { openRemoteEngine } from '@coppice/core/engine';
import { createMcts } from '@coppice/core/program';
import {
  createPolicy,
  type Engine,
  LiveLoop,
  Runtime,
  type ScoreRequest,
  systemClock,
  type Verifier,
  type VerifierMessage,
} from 'coppice';
import { fillerPrompt } from 'coppice/bench';

export const branching = 4;

export interface WireRound {
  readonly tokensPerSecond: number;
  /** Of this process, per 20,000 tokens. */
  readonly cpuSeconds: number;
  /** When it was counted, by `performance.now()`. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface RoundOptions {
  readonly url: string;
  readonly sequences: number;
  /**
   * How steps are asked for: without log probabilities (a prior of draws), with them (a prior of the model, as MCTS has unless
   * told otherwise), or with everything, as for a client that watches a repeatable search.
   */
  readonly asking: 'least' | 'logprobs' | 'everything';
  readonly stepTokens: number;
  /** Before tokens are counted: sockets, compiler and the limit in flight settle. */
  readonly warmMs: number;
  readonly roundMs: number;
}

/** Counts tokens and CPU time between two moments of work that goes on by itself. */
export async function measure(
  tokens: () => number,
  { warmMs, roundMs }: Pick<RoundOptions, 'warmMs' | 'roundMs'>,
): Promise<WireRound> {
  await new Promise((resolve) => setTimeout(resolve, warmMs));
  const [before, cpu, startMs] = [tokens(), process.cpuUsage(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, roundMs));
  const { user, system } = process.cpuUsage(cpu);
  const written = tokens() - before;
  const toMs = performance.now();
  const tokensPerSecond = (written / (toMs - startMs)) * 1000;
  return { tokensPerSecond, cpuSeconds: ((user + system) / 1e6 / written) * 20_000, fromMs: startMs, toMs };
}

/** Words of a question. */
const questionWords = 100;

export async function searchRound(options: RoundOptions): Promise<WireRound> {
  const { url, sequences, asking, stepTokens } = options;
  const engine = exactly(await openRemoteEngine({ servers: [{ url }] }));
  const policy = createPolicy('vanilla');
  const loop = new LiveLoop();
  let searches = 0;
  let tokens = 0;
  let over = false;
  const runtime: Runtime = new Runtime({
    engine,
    verifier: new FreeVerifier(),
    scheduler: policy.scheduler,
    budget: sequences / branching,
    clock: systemClock,
    onEvent: ({ event }) => {
      if (event.type === 'grown') tokens += event.step.tokens;
      else if (event.type === 'merged') tokens += event.tokens;
    },
    onEnd: () => {
      if (!over) submit();
    },
    ...(asking === 'everything' ? { onToken: () => {} } : {}),
    wake: loop.wake,
  });
  const submit = (): void => {
    searches += 1;
    runtime.submit({
      id: `search-${searches}`,
      prompt: fillerPrompt(`question ${searches}`, questionWords),
      program: createMcts({ rollouts: 4, branching, maxDepth: 8, prior: asking === 'least' ? 'draws' : 'logprob' }),
      rules: policy.rules,
      limits: { threshold: 1, rollouts: 4 },
      seed: searches,
      repeatable: asking === 'everything',
      priority: 0,
      delimiters: ['\n\n'],
      stepTokens,
      extract: () => 'answer',
    });
  };
  // A few more than run at a time, so that the place of one that ends is taken at once.
  for (let at = 0; at < sequences / branching + 4; at += 1) submit();
  loop.drive(runtime);
  const round = await measure(() => tokens, options);
  over = true;
  loop.stop();
  await engine.close();
  return round;
}

/** Every step has all of its tokens: a real model ends each where it likes, and what is written below one prompt says nothing of another. */
function exactly<Given extends Engine>(engine: Given): Given {
  const generate = engine.generate.bind(engine);
  engine.generate = (requests) => generate(requests.map((request) => ({ ...request, exact: true })));
  return engine;
}

/** Rewards that cost nothing and differ, so that every step is a node of its own. */
class FreeVerifier implements Verifier {
  readonly capabilities = { name: 'free', aggregation: 'product', reusesPrefix: true } as const;
  #post: (message: VerifierMessage) => void = () => {};

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    const usage = { computedTokens: 0, cachedTokens: 0 };
    for (const { id } of requests) this.#post({ type: 'score', request: id, reward: 0.5 + (id % 40) / 100, usage });
  }

  cancel(): void {}
  release(): void {}
  load(): { waiting: number; healthy: boolean } {
    return { waiting: 0, healthy: true };
  }

  async close(): Promise<void> {}
}
