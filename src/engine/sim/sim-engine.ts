// The engine contract in virtual time: replicas without tensor parallelism, one GPU each.

import type {
  Engine,
  EngineCapabilities,
  EngineLoad,
  EngineMessage,
  GenerateRequest,
  RequestId,
  Urgency,
} from '../engine.ts';
import { Pool } from './pool.ts';
import { SimReplica, type SimReplicaOptions } from './sim-replica.ts';
import type { StepSource } from './source.ts';
import type { World } from './world.ts';

export interface SimEngineOptions extends SimReplicaOptions {
  readonly replicas: number;
}

interface SimEngineTotals {
  readonly steps: number;
  readonly busyMs: number;
  readonly generatedTokens: number;
  readonly evictedTokens: number;
}

export class SimEngine implements Engine {
  readonly capabilities: EngineCapabilities;
  readonly #options: SimEngineOptions;
  readonly #source: StepSource;
  readonly #pool: Pool<SimReplica, EngineMessage>;

  constructor(world: World, source: StepSource, options: SimEngineOptions) {
    this.#options = options;
    this.#source = source;
    this.capabilities = {
      name: `sim ${options.cost.name}`,
      seeded: true,
      logprobs: true,
      streams: false,
      seesStops: true,
      entropy: true,
      priorities: true,
      countsCache: true,
      contextTokens: options.kvTokens,
    };
    this.#pool = new Pool('engine', options.replicas, (answered) => new SimReplica(world, options, answered));
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#pool.connect(post);
  }

  generate(requests: readonly GenerateRequest[]): void {
    this.#pool.hand(requests, (replica, request) =>
      replica.enqueue(request, this.#source.draw(request), this.#source.promptTokens(request.prompt)),
    );
  }

  cancel(requests: readonly RequestId[]): void {
    this.#pool.cancel(requests);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.#pool.update(request, urgency);
  }

  release(search: string): void {
    this.#pool.release(search);
  }

  load(): EngineLoad {
    let runningSequences = 0;
    let waitingSequences = 0;
    let stepMs: number | undefined;
    for (const replica of this.#pool.replicas) {
      runningSequences += replica.running;
      waitingSequences += replica.waiting;
      if (replica.stepMs !== undefined) stepMs = Math.max(stepMs ?? 0, replica.stepMs);
    }
    const sequenceLimit = this.#options.replicas * this.#options.sequenceLimit;
    const squeezed = this.#pool.replicas.some((replica) => replica.squeezed);
    return { runningSequences, waitingSequences, sequenceLimit, stepMs, squeezed, healthy: !this.#pool.closed };
  }

  /** What the simulation reports besides, over all replicas. */
  totals(): SimEngineTotals {
    const sum = { steps: 0, busyMs: 0, generatedTokens: 0, evictedTokens: 0 };
    for (const replica of this.#pool.replicas) {
      sum.steps += replica.steps;
      sum.busyMs += replica.busyMs;
      sum.generatedTokens += replica.generatedTokens;
      sum.evictedTokens += replica.evictedTokens;
    }
    return sum;
  }

  async close(): Promise<void> {
    this.#pool.close();
  }
}
