// The engine contract in virtual time: replicas without tensor parallelism, one GPU each. A search stays with the replica
// that its first request went to (the one with the fewest searches), so that its prefixes are found again.

import { assert } from '../../base/assert.ts';
import { fault } from '../../base/fault.ts';
import type { Engine, EngineCapabilities, EngineLoad, EngineMessage, GenerateRequest, RequestId } from '../engine.ts';
import { Replica, type ReplicaOptions } from './replica.ts';
import type { StepSource } from './source.ts';
import type { World } from './world.ts';

export interface SimEngineOptions extends ReplicaOptions {
  readonly replicas: number;
}

export interface SimEngineTotals {
  readonly steps: number;
  readonly busyMs: number;
  readonly generatedTokens: number;
  readonly evictedTokens: number;
}

export class SimEngine implements Engine {
  readonly capabilities: EngineCapabilities;
  readonly #options: SimEngineOptions;
  readonly #source: StepSource;
  readonly #replicas: Replica[] = [];
  readonly #searchesOn: number[];
  readonly #homes = new Map<string, number>();
  readonly #askedOf = new Map<RequestId, Replica>();
  #post: ((message: EngineMessage) => void) | undefined;
  #closed = false;

  constructor(world: World, source: StepSource, options: SimEngineOptions) {
    assert(options.replicas >= 1, 'an engine has a replica');
    this.#options = options;
    this.#source = source;
    this.#searchesOn = new Array<number>(options.replicas).fill(0);
    this.capabilities = {
      ...{ name: `sim ${options.cost.name}`, seeded: true, logprobs: true, streams: false, seesStops: true },
      ...{ priorities: true, countsCache: true, contextTokens: options.kvTokens },
    };
    const answered = (message: EngineMessage): void => {
      this.#askedOf.delete(message.request);
      this.#post?.(message);
    };
    for (let at = 0; at < options.replicas; at += 1) this.#replicas.push(new Replica(world, options, answered));
  }

  connect(post: (message: EngineMessage) => void): void {
    assert(this.#post === undefined, 'an engine is connected once');
    this.#post = post;
  }

  generate(requests: readonly GenerateRequest[]): void {
    for (const request of requests) {
      if (this.#closed) this.#refuseClosed(request.id);
      else this.#enqueue(request);
    }
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) this.#askedOf.get(id)?.cancel(id);
  }

  release(search: string): void {
    const home = this.#homes.get(search);
    if (home === undefined) return;
    this.#homes.delete(search);
    this.#searchesOn[home]! -= 1;
    this.#replicas[home]!.release(search);
  }

  load(): EngineLoad {
    let runningSequences = 0;
    let waitingSequences = 0;
    let stepMs: number | undefined;
    for (const replica of this.#replicas) {
      runningSequences += replica.running;
      waitingSequences += replica.waiting;
      if (replica.stepMs !== undefined) stepMs = Math.max(stepMs ?? 0, replica.stepMs);
    }
    const sequenceLimit = this.#options.replicas * this.#options.sequenceLimit;
    return { runningSequences, waitingSequences, sequenceLimit, stepMs, healthy: !this.#closed };
  }

  /** What the simulation reports besides, over all replicas. */
  totals(): SimEngineTotals {
    const sum = { steps: 0, busyMs: 0, generatedTokens: 0, evictedTokens: 0 };
    for (const replica of this.#replicas) {
      sum.steps += replica.steps;
      sum.busyMs += replica.busyMs;
      sum.generatedTokens += replica.generatedTokens;
      sum.evictedTokens += replica.evictedTokens;
    }
    return sum;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const [id, replica] of [...this.#askedOf]) replica.cancel(id);
  }

  #enqueue(request: GenerateRequest): void {
    const replica = this.#replicas[this.#homeOf(request.search)]!;
    this.#askedOf.set(request.id, replica);
    replica.enqueue(request, this.#source.draw(request), this.#source.promptTokens(request.prompt));
  }

  #homeOf(search: string): number {
    let home = this.#homes.get(search);
    if (home === undefined) {
      home = this.#searchesOn.indexOf(Math.min(...this.#searchesOn));
      this.#homes.set(search, home);
      this.#searchesOn[home]! += 1;
    }
    return home;
  }

  #refuseClosed(request: RequestId): void {
    this.#post?.({ type: 'fault', request, fault: fault('unavailable', 'the engine is closed', { retryable: false }) });
  }
}
