// One GPU of a reward model. It takes what waits, as much as one pass may hold, and answers all of it when the pass ends;
// what arrives meanwhile waits for the next. Unlike decoding there is nothing to interrupt: a pass is over in
// milliseconds, and a request cancelled during it is answered at once while the pass goes on.

import { fault, Heap } from '@coppice/core/base';
import { type CostModel, prefillMs, unreadMs } from '@coppice/core/cost';
import type { RequestId, Urgency } from '@coppice/core/engine';
import { type NodeKey, nodeKey } from '@coppice/core/tree';
import type { ScoreRequest, ScoreUsage, VerifierMessage } from '@coppice/core/verifier';
import { PrefixCache } from '../engine/prefix-cache.ts';
import type { SharedGpu } from '../engine/shared-gpu.ts';
import { goesBefore, type SimPlace } from '../engine/sim-sequence.ts';
import type { RewardSource } from '../engine/source.ts';
import type { Happenings } from '../engine/world.ts';

export interface SimScorerOptions {
  readonly cost: CostModel;
  /** New tokens in one pass, unless a single request has more. */
  readonly passTokens: number;
  readonly kvTokens: number;
  readonly reusesPrefix: boolean;
  /** What a score takes besides its pass: the way there and back, and the server's front end. The GPU is free meanwhile. */
  readonly callMs?: number;
  /** What is computed for a score besides its own tokens: the reward model's template, and the rest of a cache block. */
  readonly extraTokens?: number;
  /** Where a generator works on the same GPU. */
  readonly gpu?: SharedGpu;
}

interface Waiting extends SimPlace {
  readonly request: ScoreRequest;
}

interface ScoredRequest {
  readonly request: ScoreRequest;
  readonly usage: ScoreUsage;
}

export class SimScorer {
  readonly #world: Happenings;
  readonly #source: RewardSource;
  readonly #options: SimScorerOptions;
  readonly #post: (message: VerifierMessage) => void;
  readonly #cache: PrefixCache;
  readonly #waiting = new Heap<Waiting>(goesBefore);
  /** What is not answered; one that waits, by its latest place in the line. */
  readonly #open = new Map<RequestId, Waiting>();
  /** What waits, by the step below which it was drawn: a step and one below it are computed together. */
  readonly #below = new Map<NodeKey, Set<ScoreRequest>>();
  /** Those of them that are in a pass, or on their way back. */
  readonly #taken = new Set<RequestId>();
  #order = 0;
  #busy = false;
  #busyMs = 0;
  #computedTokens = 0;

  constructor(
    world: Happenings,
    source: RewardSource,
    options: SimScorerOptions,
    post: (message: VerifierMessage) => void,
  ) {
    this.#world = world;
    this.#source = source;
    this.#options = options;
    this.#post = post;
    this.#cache = new PrefixCache(options.kvTokens);
    options.gpu?.onRest(() => this.#passSoon());
  }

  get waiting(): number {
    return this.#open.size;
  }

  get busyMs(): number {
    return this.#busyMs;
  }

  /** New tokens of all finished passes. */
  get computedTokens(): number {
    return this.#computedTokens;
  }

  enqueue(request: ScoreRequest): void {
    const siblings = this.#below.get(request.parent) ?? new Set();
    this.#below.set(request.parent, siblings.add(request));
    this.#line({ request, urgency: request, order: this.#order });
    this.#order += 1;
    this.#passSoon();
  }

  update(id: RequestId, urgency: Urgency): void {
    const waiting = this.#open.get(id);
    if (waiting !== undefined && !this.#taken.has(id)) this.#line({ ...waiting, urgency });
  }

  #line(waiting: Waiting): void {
    this.#open.set(waiting.request.id, waiting);
    this.#waiting.push(waiting);
  }

  cancel(id: RequestId): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    if (!this.#taken.has(id)) this.#leave(open.request);
    this.#post({ type: 'fault', request: id, fault: fault('cancelled', 'by request') });
  }

  release(search: string): void {
    this.#cache.release(search);
  }

  #passSoon(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#world.lateAt(this.#world.nowMs, () => this.#pass());
  }

  #pass(): void {
    if (this.#options.gpu?.isTaken) {
      this.#busy = false;
      return;
    }
    const batch: ScoredRequest[] = [];
    let computed = 0;
    let read = 0;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (computed > 0 && computed + next.step.tokens > this.#options.passTokens) break;
      this.#waiting.pop();
      for (const scored of this.#path(next)) {
        const { computedTokens, cachedTokens } = scored.usage;
        computed += computedTokens;
        read += computedTokens * (computedTokens + cachedTokens);
        batch.push(scored);
      }
    }
    if (batch.length === 0) {
      this.#busy = false;
      return;
    }
    const { cost } = this.#options;
    const unread = computed === 0 ? 0 : Math.max(0, this.#cache.usedTokens - read / computed);
    const alone = prefillMs(cost, computed) + unreadMs(cost, computed, unread);
    this.#options.gpu?.set('rewardModel', computed);
    const ms = alone * (this.#options.gpu?.factor('rewardModel') ?? 1);
    this.#world.at(this.#world.nowMs + ms, () => this.#end(batch, ms));
  }

  #end(batch: readonly ScoredRequest[], ms: number): void {
    this.#busy = false;
    this.#busyMs += ms;
    this.#options.gpu?.set('rewardModel', 0);
    const { callMs = 0 } = this.#options;
    if (callMs === 0) this.#answer(batch);
    else this.#world.at(this.#world.nowMs + callMs, () => this.#answer(batch));
    if (this.#open.size > 0) this.#passSoon();
  }

  #answer(batch: readonly ScoredRequest[]): void {
    for (const { request, usage } of batch) {
      this.#taken.delete(request.id);
      this.#computedTokens += usage.computedTokens;
      if (!this.#open.delete(request.id)) continue;
      const reward = this.#source.reward(request.prompt, request.path, request.step);
      this.#post({ type: 'score', request: request.id, reward, usage });
    }
  }

  #next(): ScoreRequest | undefined {
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      const { id } = next.request;
      if (this.#open.get(id) === next && !this.#taken.has(id)) return next.request;
      this.#waiting.pop();
    }
    return undefined;
  }

  /** The step, and of those that wait below it one, and so on: all of them in one go over the path. */
  #path(first: ScoreRequest): ScoredRequest[] {
    const scored: ScoredRequest[] = [];
    for (let next: ScoreRequest | undefined = first; next !== undefined; next = this.#nextBelow(next)) {
      this.#take(next);
      const usage = this.#compute(next);
      const before = scored.at(-1)?.usage;
      scored.push({ request: next, usage: before === undefined ? usage : continued(before, usage, next) });
    }
    return scored;
  }

  #take(request: ScoreRequest): void {
    this.#taken.add(request.id);
    this.#leave(request);
  }

  #leave(request: ScoreRequest): void {
    const siblings = this.#below.get(request.parent)!;
    siblings.delete(request);
    if (siblings.size === 0) this.#below.delete(request.parent);
  }

  #nextBelow({ parent, step, search }: ScoreRequest): ScoreRequest | undefined {
    for (const request of this.#below.get(nodeKey(parent, step)) ?? []) if (request.search === search) return request;
    return undefined;
  }

  /** What the pass computes for one request, and what it finds: all of it where the same step was scored before. */
  #compute(request: ScoreRequest): ScoreUsage {
    const { search, path, step } = request;
    const promptTokens = this.#source.promptTokens(request.prompt);
    const blocks = this.#source.promptBlocks?.(request.prompt);
    const { reusesPrefix, extraTokens = 0 } = this.#options;
    if (reusesPrefix) {
      const scored = { key: nodeKey(request.parent, step), step };
      const prefix = this.#cache.pin(search, promptTokens, [...path, scored], 0, blocks);
      if (prefix !== undefined) {
        this.#cache.unpin(prefix.segment);
        return { computedTokens: prefix.computedTokens + extraTokens, cachedTokens: prefix.cachedTokens };
      }
    }
    const pathTokens = path.reduce((sum, each) => sum + each.step.tokens, 0);
    return { computedTokens: promptTokens + pathTokens + step.tokens + extraTokens, cachedTokens: 0 };
  }
}

/** The path was computed for the step before this one. */
function continued(before: ScoreUsage, alone: ScoreUsage, { step }: ScoreRequest): ScoreUsage {
  const computedTokens = Math.min(alone.computedTokens, step.tokens);
  return { computedTokens, cachedTokens: before.computedTokens + before.cachedTokens };
}
