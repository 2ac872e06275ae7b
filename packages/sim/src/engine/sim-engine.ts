// The engine contract in virtual time: replicas without tensor parallelism, one GPU each.

import type { Engine, EngineCapabilities, EngineLoad, EngineMessage, GenerateRequest } from '@coppice/core/engine';
import { Pool } from './pool.ts';
import type { SharedGpu } from './shared-gpu.ts';
import { SimReplica, type SimReplicaOptions } from './sim-replica.ts';
import type { StepSource } from './source.ts';
import type { World } from './world.ts';

export interface SimEngineOptions extends Omit<SimReplicaOptions, 'gpu'> {
  readonly replicas: number;
  readonly gpus?: readonly SharedGpu[];
}

export class SimEngine extends Pool<SimReplica, EngineMessage> implements Engine {
  readonly capabilities: EngineCapabilities;
  readonly #options: SimEngineOptions;
  readonly #source: StepSource;

  constructor(world: World, source: StepSource, options: SimEngineOptions) {
    super('engine', options.replicas, (answered, at) => {
      const gpu = options.gpus?.[at];
      return new SimReplica(world, { ...options, ...(gpu && { gpu }) }, answered);
    });
    this.#options = options;
    this.#source = source;
    this.capabilities = {
      name: `sim ${options.cost.name}`,
      seeded: true,
      logprobs: true,
      streams: false,
      wholes: source.wholes === true,
      entropy: true,
      priorities: true,
      countsCache: true,
      contextTokens: options.kvTokens,
    };
  }

  generate(requests: readonly GenerateRequest[]): void {
    this.distribute(requests, (replica, request) =>
      replica.enqueue(
        request,
        this.#source.draw(request),
        this.#source.promptTokens(request.prompt),
        this.#source.promptBlocks?.(request.prompt),
      ),
    );
  }

  load(): EngineLoad {
    let runningSequences = 0;
    let waitingSequences = 0;
    let stepMs: number | undefined;
    for (const replica of this.replicas) {
      runningSequences += replica.running;
      waitingSequences += replica.waiting;
      if (replica.stepMs !== undefined) stepMs = Math.max(stepMs ?? 0, replica.stepMs);
    }
    const sequenceLimit = this.#options.replicas * this.#options.sequenceLimit;
    const squeezed = this.replicas.some((replica) => replica.squeezed);
    return { runningSequences, waitingSequences, sequenceLimit, stepMs, squeezed, healthy: !this.closed };
  }

  totals() {
    const sum = { busyMs: 0, generatedTokens: 0, evictedTokens: 0 };
    for (const { totals } of this.replicas) {
      sum.busyMs += totals.busyMs;
      sum.generatedTokens += totals.generatedTokens;
      sum.evictedTokens += totals.evictedTokens;
    }
    return sum;
  }
}
