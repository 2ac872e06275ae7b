// The memory of live searches: many trees of a size in one runtime, as in production, half way through their work.
// `npm run bench -- memory [SEARCHES…]`; the bound is 2 GB for 10,000 searches of 200 nodes.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random, VirtualClock } from '@coppice/core/base';
import { createMcts } from '@coppice/core/program';
import {
  createPolicy,
  type Engine,
  type EngineMessage,
  type GenerateRequest,
  Runtime,
  type ScoreRequest,
  type Verifier,
  type VerifierMessage,
} from 'coppice';

interface MemoryUse {
  readonly searches: number;
  readonly nodes: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
}

/** A step as a generator writes it: about 200 characters, 50 tokens, no token ids. */
const stepLength = 200;

async function measureMemory(searches: number, nodesEach: number): Promise<MemoryUse> {
  const before = settledHeap();
  const grower = new Grower(nodesEach);
  const clock = new VirtualClock();
  const { rules, scheduler } = createPolicy('vanilla');
  let woken = false;
  const wake = (): void => {
    woken = true;
  };
  const runtime = new Runtime({ engine: grower, verifier: grower.verifier, scheduler, budget: searches, clock, wake });
  for (let at = 0; at < searches; at += 1) {
    runtime.submit({
      id: `search-${at}`,
      prompt: { kind: 'text', text: `question ${at}` },
      program: createMcts(),
      rules,
      limits: { threshold: 1, rollouts: 16 },
      seed: at,
      priority: 0,
      delimiters: ['\n\n'],
      stepTokens: 512,
      extract: () => undefined,
    });
  }
  do {
    do {
      woken = false;
      runtime.step();
    } while (woken);
  } while (grower.work());
  const nodes = [...runtime.running.values()].reduce((sum, { tree }) => sum + tree.nodes.length, 0);
  const heapBytes = settledHeap() - before;
  return { searches: runtime.running.size, nodes, heapBytes, residentBytes: process.memoryUsage().rss };
}

export async function report(print: (line: string) => void, sizes: readonly string[]): Promise<void> {
  for (const searches of sizes.length > 0 ? sizes.map(Number) : [1_000, 10_000]) {
    const { nodes, heapBytes, residentBytes } = await measureMemory(searches, 200);
    const each = `${Math.round(heapBytes / nodes)} bytes a node`;
    print(
      `${searches} live searches, ${nodes} nodes: heap ${megabytes(heapBytes)} MB (${each}), process ${megabytes(residentBytes)} MB`,
    );
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

/** What is in use after a collection. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

/** Engine and verifier in one: answers each child at once with a text of its own, until its search is large enough. */
class Grower implements Engine {
  readonly capabilities = {
    name: 'grower',
    seeded: true,
    logprobs: true,
    streams: false,
    priorities: false,
    countsCache: true,
    contextTokens: undefined,
  };
  readonly verifier: Verifier;
  readonly #nodesEach: number;
  readonly #asked = new Map<string, number>();
  readonly #queue: GenerateRequest[] = [];
  #post: ((message: EngineMessage) => void) | undefined;
  #postScore: ((message: VerifierMessage) => void) | undefined;

  constructor(nodesEach: number) {
    this.#nodesEach = nodesEach;
    const nothing = (): void => {};
    this.verifier = {
      capabilities: { name: 'grower', aggregation: 'product', reusesPrefix: true },
      connect: (post) => {
        this.#postScore = post;
      },
      score: (requests) => this.#score(requests),
      cancel: nothing,
      release: nothing,
      close: async () => {},
      load: () => ({ waiting: 0, healthy: true }),
    };
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
  }

  generate(requests: readonly GenerateRequest[]): void {
    this.#queue.push(...requests);
  }

  /** Answers what waits; false when every search has as many nodes as it should. */
  work(): boolean {
    const due = this.#queue.splice(0);
    let answered = false;
    for (const request of due) {
      const made = this.#asked.get(request.search) ?? 0;
      if (made >= this.#nodesEach) continue;
      this.#asked.set(request.search, made + 1);
      this.#answer(request);
      answered = true;
    }
    return answered;
  }

  cancel(): void {}
  release(): void {}
  load() {
    return { runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: undefined, healthy: true };
  }
  async close(): Promise<void> {}

  #answer({ id, seed, path }: GenerateRequest): void {
    const random = new Random('text', seed);
    // Made anew for each step, as a decoder does: no two steps share their characters.
    const letters = Array.from({ length: stepLength }, () => 97 + random.integer(26));
    const end = path.length >= 7 ? 'eos' : 'delimiter';
    const step = { text: String.fromCharCode(...letters), tokens: 50, meanLogprob: -random.uniform(), end } as const;
    const usage = { computedTokens: 0, cachedTokens: 0, generatedTokens: 50 };
    this.#post?.({ type: 'step', request: id, step, usage });
  }

  #score(requests: readonly ScoreRequest[]): void {
    for (const { id } of requests) {
      const usage = { computedTokens: 50, cachedTokens: 0 };
      this.#postScore?.({ type: 'score', request: id, reward: new Random('reward', id).uniform(), usage });
    }
  }
}
