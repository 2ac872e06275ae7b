// One GPU under continuous batching, in virtual time. It plans a span of decode steps up to the next finished sequence (or full
// cache) and sums their times in closed form. An arrival ends the span after its current step: sequences join and leave between steps.

import { assert, fault, hash } from '@coppice/core/base';
import {
  type CostModel,
  type DecodeBatch,
  decodeSpanMs,
  decodeStepsUntil,
  prefillExtraMs,
  unreadMs,
} from '@coppice/core/cost';
import {
  type EngineMessage,
  type GenerateRequest,
  type RequestId,
  type Urgency,
  UrgencyQueue,
} from '@coppice/core/engine';
import type { Step } from '@coppice/core/tree';
import { PrefixCache, type PromptBlocks } from './prefix-cache.ts';
import type { SharedGpu } from './shared-gpu.ts';
import { SimBatch } from './sim-batch.ts';
import { goesBefore, type SimSequence, usageOf } from './sim-sequence.ts';
import type { Happenings } from './world.ts';

export interface SimReplicaOptions {
  readonly cost: CostModel;
  /** Most sequences at a time (`max_num_seqs`). */
  readonly sequenceLimit: number;
  readonly kvTokens: number;
  /** New tokens computed beside one decode step (chunked prefill). */
  readonly prefillTokens: number;
  /** Time of network and front end per request; the GPU works meanwhile. */
  readonly requestMs?: number;
  readonly gpu?: SharedGpu;
  /** Requests of equal rank go in random order, as in an engine that knows no trees. By default first come, first served. */
  readonly scattered?: boolean;
}

/** Room is reserved in blocks of this many tokens per running sequence, like the pages of a paged cache. */
const blockTokens = 16;

interface DecodeSpan {
  readonly batch: DecodeBatch;
  readonly startMs: number;
  readonly extraMs: number;
  /** Slowdown by the reward model on the same GPU. */
  readonly factor: number;
  readonly steps: number;
  readonly endMs: number;
}

export class SimReplica {
  readonly #world: Happenings;
  readonly #options: SimReplicaOptions;
  readonly #post: (message: EngineMessage) => void;
  readonly #cache: PrefixCache;
  readonly #waiting = new UrgencyQueue<RequestId, SimSequence>();
  readonly #sequences = new Map<RequestId, SimSequence>();
  readonly #leaving: SimSequence[] = [];
  readonly #batch = new SimBatch();
  #span: DecodeSpan | undefined;
  #beginning = false;
  #order = 0;
  #stepMs: number | undefined;
  #busyMs = 0;
  #generatedTokens = 0;
  #squeezed = false;

  constructor(world: Happenings, options: SimReplicaOptions, post: (message: EngineMessage) => void) {
    assert(options.sequenceLimit >= 1 && options.kvTokens > blockTokens, 'a replica needs room for a sequence');
    this.#world = world;
    this.#options = options;
    this.#post = post;
    this.#cache = new PrefixCache(options.kvTokens);
    options.gpu?.onChange(() => this.#interrupt());
  }

  get running(): number {
    return this.#batch.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get stepMs(): number | undefined {
    return this.#stepMs;
  }

  /** `generatedTokens` includes those of stopped sequences. */
  get totals() {
    const { evictedTokens } = this.#cache;
    return { busyMs: this.#busyMs, generatedTokens: this.#generatedTokens, evictedTokens };
  }

  get usedTokens(): number {
    return this.#cache.usedTokens;
  }

  /** Memory was short in the latest span: a sequence waited or was preempted. */
  get squeezed(): boolean {
    return this.#squeezed;
  }

  enqueue(request: GenerateRequest, step: Step, promptTokens: number, blocks?: PromptBlocks): void {
    const pathTokens = request.path.reduce((sum, each) => sum + each.step.tokens, promptTokens);
    if (pathTokens + request.maxTokens + blockTokens > this.#options.kvTokens) {
      const need = `${pathTokens} tokens of prompt and path and ${request.maxTokens} of step`;
      const tooLong = fault('too-long', `${need} do not fit kvTokens ${this.#options.kvTokens}`);
      return this.#post({ type: 'fault', request: request.id, fault: tooLong });
    }
    const { lane, priority } = request;
    const sequence: SimSequence = {
      urgency: { lane, priority },
      request,
      step,
      promptTokens,
      blocks,
      order: this.#queueOrder(request),
      state: 'waiting',
      cancelled: false,
      done: 0,
      since: 0,
      prefix: undefined,
      contextTokens: 0,
      computedTokens: 0,
      cachedTokens: 0,
    };
    this.#sequences.set(request.id, sequence);
    this.#addToQueue(sequence);
    if (this.#mayStart(sequence)) this.#interrupt();
  }

  #queueOrder({ search, parent, index }: GenerateRequest): number {
    this.#order += 1;
    return this.#options.scattered ? hash(search, parent, index) : this.#order;
  }

  /** A waiting sequence leaves now, a running one at the end of the current step. */
  cancel(id: RequestId): void {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined || sequence.cancelled) return;
    sequence.cancelled = true;
    if (sequence.state === 'running' && this.#span !== undefined) {
      this.#leaving.push(sequence);
      this.#interrupt();
      return;
    }
    if (sequence.state === 'running') this.#stop(sequence);
    else this.#waiting.delete(id);
    this.#leave(sequence);
  }

  release(search: string): void {
    this.#cache.release(search);
    // The released tokens cost time at each step, so the rest of the span is faster: plan it anew.
    if (this.#span !== undefined && this.#options.cost.unreadTokenMs !== undefined) this.#interrupt();
  }

  #mayStart(sequence: SimSequence): boolean {
    if (this.#batch.size < this.#options.sequenceLimit) return true;
    return sequence.urgency.lane === 'primary' && this.#batch.speculative > 0;
  }

  #addToQueue(sequence: SimSequence): void {
    sequence.state = 'waiting';
    this.#waiting.set(sequence.request.id, sequence, sequence.urgency, sequence.order);
  }

  update(id: RequestId, urgency: Urgency): void {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined || sequence.cancelled) return;
    if (sequence.state === 'running') this.#batch.update(sequence, urgency);
    else {
      sequence.urgency = urgency;
      this.#addToQueue(sequence);
    }
    if (this.#waiting.size > 0) this.#interrupt();
  }

  /** Ends the span with its current step; an idle replica starts a span. */
  #interrupt(): void {
    const span = this.#span;
    if (span === undefined) return this.#beginSoon();
    const decodedMs = (this.#world.nowMs - span.startMs) / span.factor - span.extraMs;
    const steps = decodeStepsUntil(this.#options.cost, span.batch, decodedMs);
    if (steps < span.steps) this.#plan({ ...span, steps });
  }

  #beginSoon(): void {
    if (this.#beginning) return;
    this.#beginning = true;
    this.#world.lateAt(this.#world.nowMs, () => this.#begin());
  }

  #begin(): void {
    this.#beginning = false;
    this.#squeezed = false;
    const before = this.#batch.size;
    const computed = this.#admit();
    const joined = this.#batch.size - before;
    this.#options.gpu?.set('generator', this.#batch.size);
    if (this.#batch.size === 0) return;
    const preempted = this.#secureRoom();
    if (preempted) this.#squeezed = true;
    const untilEnd = this.#batch.stepsToEnd();
    const untilFull = Math.floor(this.#cache.freeTokens / this.#batch.size);
    // Spans of one step: the next step has prefill room again, or memory of a preempted sequence, so a sequence may join.
    const most = preempted || computed >= this.#options.prefillTokens ? 1 : Number.POSITIVE_INFINITY;
    const { cost } = this.#options;
    const batch = {
      sequences: this.#batch.size,
      contextTokens: this.#batch.contextTokens,
      residentTokens: this.#cache.usedTokens,
    };
    const unread = batch.residentTokens - batch.contextTokens / batch.sequences;
    const joiningMs = joined * (cost.joinMs ?? 0);
    const extraMs = prefillExtraMs(cost, computed) + unreadMs(cost, computed, unread) + joiningMs;
    const factor = this.#options.gpu?.factor('generator') ?? 1;
    this.#plan({ batch, startMs: this.#world.nowMs, extraMs, factor, steps: Math.min(untilEnd, untilFull, most) });
  }

  #plan(planned: Omit<DecodeSpan, 'endMs'>): void {
    const { batch, startMs, extraMs, factor, steps } = planned;
    assert(steps >= 1, 'a span has at least one step');
    const decodeMs = decodeSpanMs(this.#options.cost, batch, steps);
    this.#stepMs = (factor * decodeMs) / steps;
    const endMs = Math.max(this.#world.nowMs, startMs + factor * (extraMs + decodeMs));
    const span: DecodeSpan = { ...planned, endMs };
    this.#span = span;
    this.#world.at(span.endMs, () => {
      if (this.#span === span) this.#end(span);
    });
  }

  #end(span: DecodeSpan): void {
    this.#span = undefined;
    this.#busyMs += span.endMs - span.startMs;
    const grown = span.steps * this.#batch.size;
    this.#generatedTokens += grown;
    this.#batch.grow(span.steps);
    this.#cache.take(grown);
    for (let next = this.#batch.takeComplete(); next !== undefined; next = this.#batch.takeComplete()) {
      this.#finish(next);
    }
    for (const sequence of this.#leaving.splice(0)) {
      if (sequence.state !== 'running') continue;
      this.#stop(sequence);
      this.#leave(sequence);
    }
    this.#beginSoon();
  }

  /** Admits sequences from the queue while there is room; gives the tokens to compute for them. */
  #admit(): number {
    let computed = 0;
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      if (this.#batch.size >= this.#options.sequenceLimit && !this.#preemptFor(next)) break;
      if (computed > 0 && computed >= this.#options.prefillTokens) break;
      const { search, path } = next.request;
      const prefix = this.#cache.pin(search, next.promptTokens, path, next.done + blockTokens, next.blocks);
      if (prefix === undefined) {
        if (this.#batch.size === 0) assert(false, 'an idle replica cannot hold one sequence');
        this.#squeezed = true;
        break;
      }
      this.#waiting.delete(next.request.id);
      this.#cache.take(next.done);
      next.prefix = prefix.segment;
      next.computedTokens += prefix.computedTokens + next.done;
      next.cachedTokens += prefix.cachedTokens;
      next.contextTokens = prefix.computedTokens + prefix.cachedTokens + next.done;
      computed += prefix.computedTokens + next.done;
      this.#batch.join(next);
    }
    return computed;
  }

  /** Takes a sequence out of the batch and frees its generated tokens. */
  #stop(sequence: SimSequence): void {
    this.#batch.leave(sequence);
    this.#cache.giveBack(sequence.done);
    this.#cache.unpin(sequence.prefix!);
    sequence.prefix = undefined;
  }

  #finish(sequence: SimSequence): void {
    this.#batch.leave(sequence);
    this.#cache.keep(sequence.prefix!, sequence.step);
    this.#cache.unpin(sequence.prefix!);
    sequence.state = 'gone';
    const request = sequence.request.id;
    this.#sequences.delete(request);
    const answer = { type: 'step', request, step: sequence.step, usage: usageOf(sequence) } as const;
    const { requestMs = 0 } = this.#options;
    if (requestMs === 0) this.#post(answer);
    else this.#world.at(this.#world.nowMs + requestMs, () => this.#post(answer));
  }

  #leave(sequence: SimSequence): void {
    sequence.state = 'gone';
    const request = sequence.request.id;
    this.#sequences.delete(request);
    this.#post({ type: 'fault', request, fault: fault('cancelled', 'by request'), usage: usageOf(sequence) });
  }

  #preemptFor(newcomer: SimSequence): boolean {
    if (newcomer.urgency.lane !== 'primary' || this.#batch.speculative === 0) return false;
    this.#preempt();
    return true;
  }

  /** Frees one token per running sequence: evicts idle segments, then preempts sequences. True when it preempted one. */
  #secureRoom(): boolean {
    let preempted = false;
    while (this.#cache.freeTokens < this.#batch.size) {
      if (this.#cache.makeRoom(blockTokens * this.#batch.size)) break;
      if (this.#cache.freeTokens >= this.#batch.size) break;
      this.#preempt();
      preempted = true;
    }
    return preempted;
  }

  /** Returns the sequence of lowest rank to the queue; its tokens are computed again later. */
  #preempt(): void {
    let victim: SimSequence | undefined;
    for (const each of this.#sequences.values()) {
      if (each.state === 'running' && (victim === undefined || goesBefore(victim, each))) victim = each;
    }
    assert(victim !== undefined, 'there is a sequence to preempt');
    this.#stop(victim);
    this.#addToQueue(victim);
  }
}
