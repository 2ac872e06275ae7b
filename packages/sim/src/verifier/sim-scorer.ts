// One GPU of a reward model in virtual time. A pass takes as many waiting requests as fit, and answers all of them at its end.
// Nothing interrupts a pass: a request that is cancelled during it is answered at once.

import { fault } from '@coppice/core/base';
import { type CostModel, prefillMs, unreadMs } from '@coppice/core/cost';
import { type RequestId, type Urgency, UrgencyQueue } from '@coppice/core/engine';
import { type NodeKey, nodeKey } from '@coppice/core/tree';
import type { ScoreRequest, ScoreUsage, VerifierMessage } from '@coppice/core/verifier';
import { PrefixCache } from '../engine/prefix-cache.ts';
import type { SharedGpu } from '../engine/shared-gpu.ts';
import type { RewardSource } from '../engine/source.ts';
import type { Happenings } from '../engine/world.ts';

export interface SimScorerOptions {
  readonly cost: CostModel;
  /** Most new tokens in one pass; a single longer request gets a pass of its own. */
  readonly passTokens: number;
  readonly kvTokens: number;
  readonly reusesPrefix: boolean;
  /** Time of network and front end per pass; the GPU is free meanwhile. */
  readonly callMs?: number;
  /** Tokens computed besides a score's own: the template, and the rest of a cache block. */
  readonly extraTokens?: number;
  readonly gpu?: SharedGpu;
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
  readonly #waiting = new UrgencyQueue<RequestId, ScoreRequest>();
  /** Requests that wait, are in a pass, or whose answer is on its way back. */
  readonly #unanswered = new Set<RequestId>();
  /** Waiting requests by their parent's key, so that one pass scores a step and its child together. */
  readonly #below = new Map<NodeKey, Set<ScoreRequest>>();
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
    return this.#unanswered.size;
  }

  get busyMs(): number {
    return this.#busyMs;
  }

  get computedTokens(): number {
    return this.#computedTokens;
  }

  enqueue(request: ScoreRequest): void {
    const siblings = this.#below.get(request.parent) ?? new Set();
    this.#below.set(request.parent, siblings.add(request));
    this.#unanswered.add(request.id);
    this.#waiting.set(request.id, request, request);
    this.#passSoon();
  }

  update(id: RequestId, urgency: Urgency): void {
    const request = this.#waiting.get(id);
    if (request !== undefined) this.#waiting.set(id, request, urgency);
  }

  cancel(id: RequestId): void {
    if (!this.#unanswered.delete(id)) return;
    this.#take(id);
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
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      if (computed > 0 && computed + next.step.tokens > this.#options.passTokens) break;
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
    if (this.#unanswered.size > 0) this.#passSoon();
  }

  #answer(batch: readonly ScoredRequest[]): void {
    for (const { request, usage } of batch) {
      this.#computedTokens += usage.computedTokens;
      if (!this.#unanswered.delete(request.id)) continue;
      const reward = this.#source.reward(request.prompt, request.path, request.step);
      this.#post({ type: 'score', request: request.id, reward, usage });
    }
  }

  /** Takes the step, a waiting child of it, a child of that, and so on: one computation over the path. */
  #path(first: ScoreRequest): ScoredRequest[] {
    const scored: ScoredRequest[] = [];
    for (let next: ScoreRequest | undefined = first; next !== undefined; next = this.#nextBelow(next)) {
      this.#take(next.id);
      const usage = this.#compute(next);
      const before = scored.at(-1)?.usage;
      scored.push({ request: next, usage: before === undefined ? usage : continued(before, usage, next) });
    }
    return scored;
  }

  #take(id: RequestId): void {
    const request = this.#waiting.delete(id);
    if (request === undefined) return;
    const siblings = this.#below.get(request.parent)!;
    siblings.delete(request);
    if (siblings.size === 0) this.#below.delete(request.parent);
  }

  #nextBelow({ parent, step, search }: ScoreRequest): ScoreRequest | undefined {
    for (const request of this.#below.get(nodeKey(parent, step)) ?? []) if (request.search === search) return request;
    return undefined;
  }

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

/** Usage of a step whose parent is scored in the same computation. */
function continued(before: ScoreUsage, alone: ScoreUsage, { step }: ScoreRequest): ScoreUsage {
  const computedTokens = Math.min(alone.computedTokens, step.tokens);
  return { computedTokens, cachedTokens: before.computedTokens + before.cachedTokens };
}
