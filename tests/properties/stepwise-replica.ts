// The same GPU as src/engine/sim/sim-replica.ts, told the slow way: one event per decode step, plain arrays, nothing summed
// or planned ahead. Only the prefix cache is shared, which has tests of its own.

import { fault } from '../../packages/core/src/base/fault.ts';
import { decodeMs, prefillExtraMs, unreadMs } from '../../packages/core/src/cost/cost.ts';
import {
  compareUrgency,
  type EngineMessage,
  type GenerateRequest,
  type RequestId,
  type Urgency,
} from '../../packages/core/src/engine/engine.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { PrefixCache, type Segment } from '../../packages/sim/src/engine/prefix-cache.ts';
import type { SimReplicaOptions } from '../../packages/sim/src/engine/sim-replica.ts';
import type { World } from '../../packages/sim/src/engine/world.ts';

interface Sequence {
  readonly request: GenerateRequest;
  readonly step: Step;
  readonly promptTokens: number;
  readonly order: number;
  urgency: Urgency;
  segment?: Segment;
  generated: number;
  computed: number;
  cached: number;
}

export class StepwiseReplica {
  readonly #world: World;
  readonly #options: SimReplicaOptions;
  readonly #post: (message: EngineMessage) => void;
  readonly #cache: PrefixCache;
  #waiting: Sequence[] = [];
  #running: Sequence[] = [];
  #cancelled: RequestId[] = [];
  #stepping = false;
  #order = 0;

  constructor(world: World, options: SimReplicaOptions, post: (message: EngineMessage) => void) {
    this.#world = world;
    this.#options = options;
    this.#post = post;
    this.#cache = new PrefixCache(options.kvTokens);
  }

  enqueue(request: GenerateRequest, step: Step, promptTokens: number): void {
    const place = { urgency: request, order: this.#order++ };
    this.#waiting.push({ request, step, promptTokens, ...place, generated: 0, computed: 0, cached: 0 });
    if (!this.#stepping) this.#world.lateAt(this.#world.nowMs, () => this.#begin());
  }

  cancel(id: RequestId): void {
    if (this.#stepping && this.#running.some((each) => each.request.id === id)) this.#cancelled.push(id);
    else this.#remove(id);
  }

  update(id: RequestId, urgency: Urgency): void {
    const found = [...this.#running, ...this.#waiting].find((each) => each.request.id === id);
    if (found !== undefined) found.urgency = urgency;
  }

  release(search: string): void {
    this.#cache.release(search);
  }

  #begin(): void {
    if (this.#stepping) return;
    let computed = 0;
    this.#waiting.sort(inOrder);
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const full = this.#running.length >= this.#options.sequenceLimit;
      if (full && !(next.urgency.lane === 'primary' && this.#hasSpeculative())) break;
      if (full) this.#preempt();
      if (computed > 0 && computed >= this.#options.prefillTokens) break;
      const prefix = this.#cache.pin(next.request.search, next.promptTokens, next.request.path, next.generated + 16);
      if (prefix === undefined) break;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#cache.take(next.generated);
      next.segment = prefix.segment;
      next.computed += prefix.computedTokens + next.generated;
      next.cached += prefix.cachedTokens;
      computed += prefix.computedTokens + next.generated;
      this.#running.push(next);
    }
    if (this.#running.length === 0) return;
    while (this.#cache.freeTokens < this.#running.length) {
      if (this.#cache.makeRoom(16 * this.#running.length) || this.#cache.freeTokens >= this.#running.length) break;
      this.#preempt();
    }
    this.#stepping = true;
    const { cost } = this.#options;
    const contexts = this.#running.reduce((sum, each) => sum + contextOf(each), 0);
    const resident = this.#cache.usedTokens;
    const unread = resident - contexts / this.#running.length;
    const prefillMs = prefillExtraMs(cost, computed) + unreadMs(cost, computed, unread);
    const ms = prefillMs + decodeMs(cost, this.#running.length, contexts, resident);
    this.#world.at(this.#world.nowMs + ms, () => this.#end());
  }

  #end(): void {
    this.#stepping = false;
    this.#cache.take(this.#running.length);
    for (const each of this.#running) each.generated += 1;
    const finished = this.#running.filter((each) => each.generated === each.step.tokens);
    this.#running = this.#running.filter((each) => each.generated < each.step.tokens);
    for (const each of finished.sort((a, b) => a.order - b.order)) {
      this.#cache.keep(each.segment!, each.step);
      this.#cache.unpin(each.segment!);
      this.#post({ type: 'step', request: each.request.id, step: each.step, usage: usageOf(each) });
    }
    for (const id of this.#cancelled.splice(0)) this.#remove(id);
    this.#world.lateAt(this.#world.nowMs, () => this.#begin());
  }

  #remove(id: RequestId): void {
    const found = [...this.#running, ...this.#waiting].find((each) => each.request.id === id);
    if (found === undefined) return;
    if (this.#running.includes(found)) this.#stop(found);
    this.#waiting = this.#waiting.filter((each) => each !== found);
    this.#post({ type: 'fault', request: id, fault: fault('cancelled', 'by request'), usage: usageOf(found) });
  }

  #stop(sequence: Sequence): void {
    this.#running = this.#running.filter((each) => each !== sequence);
    this.#cache.giveBack(sequence.generated);
    this.#cache.unpin(sequence.segment!);
  }

  #preempt(): void {
    const victim = [...this.#running].sort(inOrder).at(-1)!;
    this.#stop(victim);
    this.#waiting.push(victim);
    this.#waiting.sort(inOrder);
  }

  #hasSpeculative(): boolean {
    return this.#running.some((each) => each.urgency.lane === 'speculative');
  }
}

function contextOf(sequence: Sequence): number {
  return (
    sequence.request.path.reduce((sum, each) => sum + each.step.tokens, sequence.promptTokens) + sequence.generated
  );
}

function usageOf(sequence: Sequence) {
  const { computed: computedTokens, cached: cachedTokens, generated: generatedTokens } = sequence;
  return { computedTokens, cachedTokens, generatedTokens };
}

function inOrder(a: Sequence, b: Sequence): number {
  return compareUrgency(a.urgency, b.urgency) || a.order - b.order;
}
