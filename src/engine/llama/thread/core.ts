// The engine inside its thread: model, cache and batcher joined, one decode per `step`. Synchronous and single-threaded;
// the worker gives it requests and posts what comes out. Every request is answered exactly once.

import { assert } from '../../../base/assert.ts';
import { FaultError, fault, raise } from '../../../base/fault.ts';
import type { MeasuredPoints } from '../../../cost/table.ts';
import type { Sampling } from '../../../tree/step.ts';
import type { EngineMessage, GenerateRequest, GenerationUsage, RequestId, Urgency } from '../../engine.ts';
import { Batcher } from '../batch/batcher.ts';
import { Context, maxSequences } from '../batch/context.ts';
import { addAt, Generation } from '../batch/generation.ts';
import { PrefixStore } from '../batch/prefix-store.ts';
import { Reading, type ReadRequest, type VerdictTokens } from '../batch/reading.ts';
import type { Batch, Run, RunCounts } from '../batch/run.ts';
import { Sampler } from '../batch/sampler.ts';
import { measureCost } from '../batch/self-measurement.ts';
import { fastestThreads } from '../batch/thread-trial.ts';
import type { Drafts } from '../draft/drafts.ts';
import { loadAdapter } from '../native/adapter.ts';
import type { Binding } from '../native/binding.ts';
import { Model, type SharedWeights } from '../native/model.ts';
import { PathTokens } from './path-tokens.ts';

export interface CoreOptions {
  readonly model: string;
  /** Weights of that model which another thread has loaded already. */
  readonly weights?: SharedWeights;
  /** A LoRA adapter that this core alone computes with: a folder as PEFT writes it, or a GGUF file. */
  readonly adapter?: string;
  /** KV cells, one per token, over all sequences. */
  readonly kvTokens: number;
  readonly threads: number;
  /** Sequences that run side by side. */
  readonly sequences: number;
  readonly rowLimit: number;
  readonly bulkRows: number;
  readonly flashAttention: boolean;
  readonly gpuLayers?: number;
  /** For a reward model: the two verdicts as text, one token each, and what is appended to a step before reading. */
  readonly verdict?: { readonly good: string; readonly bad: string; readonly marker: string };
  /** A second pair of verdicts, read where a request asks for it. */
  readonly promise?: { readonly good: string; readonly bad: string };
  /**
   * Whose token ids the steps carry: this model's own, or those of a model with this vocabulary hash. Where the
   * vocabularies differ, the text of steps is tokenised.
   */
  readonly tokenIdsOf: 'own' | 'foreign' | number;
}

export type CoreMessage =
  | EngineMessage
  | {
      readonly type: 'read';
      readonly request: RequestId;
      readonly probability: number;
      readonly promise?: number;
      readonly usage: Pick<GenerationUsage, 'computedTokens' | 'cachedTokens'>;
    };

export interface CoreCounts {
  readonly running: number;
  readonly waiting: number;
  readonly squeezed: boolean;
  readonly usedCells: number;
  readonly cells: number;
  readonly branches: number;
  readonly decodes: number;
  readonly rows: number;
  readonly draftedTokens: number;
  readonly acceptedTokens: number;
  /** Drafted tokens that were judged, and those of them that stayed, by their place in the draft: the first at 0. */
  readonly judgedAt: readonly number[];
  readonly acceptedAt: readonly number[];
}

// Rows of logits that are kept for twins take at most 16 MiB.
const keptLogits = 4 * 1024 * 1024;
// What a reward model reads: a step of so many tokens below a path of so many.
const typicalPath = 64;
const typicalStep = 16;
// Of a trial of threads: as many rows as a few samples have, and any token.
const trialRows = 4;
const trialToken = 5;
const leastBytesTried = 32 * 1024 * 1024;
const typicalSampling = { temperature: 1, topP: 1, topK: 0, minP: 0 } as const;

export class Core {
  readonly model: Model;
  readonly #context: Context;
  readonly #store: PrefixStore;
  readonly #batcher: Batcher;
  readonly #sampler: Sampler;
  readonly #drafts: Drafts | undefined;
  readonly #judgedAt: number[] = [];
  readonly #acceptedAt: number[] = [];
  readonly #options: CoreOptions;
  readonly #paths: PathTokens;
  readonly #verdict: VerdictTokens | undefined;
  readonly #promise: VerdictTokens | undefined;
  readonly #markerTokens: readonly number[];
  readonly #post: (message: CoreMessage) => void;
  readonly #live = new Map<RequestId, Generation | Reading>();
  #decodes = 0;
  #rows = 0;
  #threads: number;

  constructor(binding: Binding, options: CoreOptions, post: (message: CoreMessage) => void, drafts?: Drafts) {
    const { weights, adapter } = options;
    this.model = weights ? Model.borrow(binding, weights) : Model.load(binding, options.model, gpuOption(options));
    this.#options = options;
    this.#threads = options.threads;
    this.#post = post;
    try {
      this.#context = Context.create(binding, this.model, {
        cells: options.kvTokens,
        threads: options.threads,
        rows: Math.max(options.rowLimit, options.bulkRows),
        flashAttention: options.flashAttention,
        // Before the context: libllama sizes its graph by the adapters that are there.
        ...(adapter === undefined ? {} : { adapter: loadAdapter(binding, this.model, adapter) }),
      });
    } catch (error) {
      this.model.close();
      throw error;
    }
    // The library rounds the number of cells up; the setting is kept to, so that a limit means what it says.
    const limits = { cells: options.kvTokens, sequences: maxSequences };
    this.#store = new PrefixStore(this.#context, { ...limits, keptLogits: keptLogits });
    this.#paths = new PathTokens(this.model, options.tokenIdsOf, this.#store.cells);
    this.#drafts = drafts && this.#checked(drafts);
    this.#batcher = new Batcher(this.#store, {
      runningLimit: options.sequences,
      rowLimit: options.rowLimit,
      bulkRows: options.bulkRows,
      ...(drafts === undefined ? {} : { draft: (runs: readonly Run[]) => this.#draft(drafts, runs) }),
    });
    this.#sampler = new Sampler(this.model.vocabularySize);
    this.#verdict = options.verdict && this.#verdictTokens(options.verdict);
    this.#promise = options.promise && this.#verdictTokens(options.promise);
    this.#markerTokens = options.verdict?.marker ? this.model.tokenize(options.verdict.marker) : [];
  }

  get hasWork(): boolean {
    return this.#batcher.hasWork;
  }

  /** Compute threads of a decode. */
  get threads(): number {
    return this.#threads;
  }

  get counts(): CoreCounts {
    return {
      running: this.#batcher.running,
      waiting: this.#batcher.waiting,
      squeezed: this.#batcher.squeezed,
      usedCells: this.#store.usedCells,
      cells: this.#store.cells,
      branches: this.#store.branches,
      decodes: this.#decodes,
      rows: this.#rows,
      draftedTokens: sumOf(this.#judgedAt),
      acceptedTokens: sumOf(this.#acceptedAt),
      judgedAt: this.#judgedAt,
      acceptedAt: this.#acceptedAt,
    };
  }

  generate(requests: readonly GenerateRequest[]): void {
    for (const request of requests) {
      this.#take(request.id, () => {
        checkSampling(request.sampling, request.maxTokens);
        const steps = request.path.map(({ step }) => step);
        const prefix = this.#paths.of(request.prompt, steps, []);
        const room = this.#paths.limit - prefix.length;
        return new Generation(request, prefix, room, {
          vocabulary: this.model,
          sampler: this.#sampler,
          post: this.#post,
        });
      });
    }
  }

  read(requests: readonly ReadRequest[]): void {
    const verdict = this.#verdict;
    assert(verdict !== undefined, 'reading needs a core that was made for a reward model');
    for (const request of requests) {
      this.#take(request.id, () => {
        const prefix = this.#paths.of(request.prompt, request.steps, this.#markerTokens);
        return new Reading(request, prefix, verdict, this.#promise);
      });
    }
  }

  cancel(ids: readonly RequestId[]): void {
    for (const id of ids) {
      const sequence = this.#live.get(id);
      if (sequence === undefined) continue; // already answered
      const run = this.#batcher.remove(id);
      this.#forget(id);
      const usage = usageOf(run, sequence instanceof Generation ? sequence.generatedTokens : 0);
      this.#post({ type: 'fault', request: id, fault: fault('cancelled', 'cancelled by the caller'), usage });
    }
  }

  update(id: RequestId, urgency: Urgency): void {
    this.#batcher.update(id, urgency);
  }

  release(search: string): void {
    this.#batcher.release(search);
    this.#drafts?.release(search);
  }

  /** One decode. False when there is nothing left to do, or nothing until a draft comes. */
  step(): boolean {
    const answered = this.#live.size;
    const batch = this.#batcher.plan(this.#onComplete);
    if (batch.length === 0) {
      const progress = this.#live.size < answered;
      assert(progress || this.#drafts !== undefined || !this.#batcher.hasWork, 'a batcher with work makes progress');
      return progress && this.#batcher.hasWork;
    }
    if (this.#decode(batch)) {
      this.#decodes += 1;
      this.#rows += batch.length;
      this.#batcher.commit(batch, (index) => this.#context.logits(index), this.#onComplete);
    }
    return true;
  }

  /** Takes the number of threads that decodes fastest here; a model so small is fastest with one everywhere. */
  tryThreads(nowMs: () => number, cores: number): void {
    if (cores < 2 || this.model.description().bytes < leastBytesTried) return;
    const rows = Array.from({ length: trialRows }, (_, sequence) => {
      return { token: trialToken, position: 0, sequence, wanted: true };
    });
    this.#threads = fastestThreads(cores, (threads) => {
      this.#context.setThreads(threads);
      const startMs = nowMs();
      this.#context.decode(rows);
      this.#context.logits(0);
      const tookMs = nowMs() - startMs;
      for (const { sequence } of rows) this.#context.remove(sequence, 0);
      return tookMs;
    });
    this.#context.setThreads(this.#threads);
  }

  /** Times decodes on the idle engine; all prefixes that were kept are dropped before. */
  measure(nowMs: () => number, budgetMs: number, processorMs?: () => number): MeasuredPoints {
    if (this.#batcher.hasWork) raise('overloaded', 'the engine measures itself only while it is idle');
    this.#store.dropIdle();
    const { rowLimit, bulkRows, kvTokens: cells } = this.#options;
    const name = `measured ${this.model.description().name}`;
    const useLogits = (row: Float32Array) => void this.#sampler.draw(row, typicalSampling, 0.5);
    const layout =
      this.#verdict === undefined
        ? { prefillBelow: 0, blockTokens: 1 }
        : { prefillBelow: Math.min(typicalPath, this.#paths.limit >> 1), blockTokens: typicalStep };
    return measureCost(this.#context, {
      name,
      nowMs,
      ...(processorMs && { processorMs }),
      budgetMs,
      rowLimit,
      bulkRows,
      cells,
      contextTokens: this.model.contextTokens,
      ...layout,
      useLogits,
    });
  }

  close(): void {
    for (const id of [...this.#live.keys()]) this.#forget(id);
    this.#drafts?.close();
    this.#context.close();
    this.model.close();
  }

  #take(id: RequestId, make: () => Generation | Reading): void {
    try {
      const sequence = make();
      this.#live.set(id, sequence);
      this.#batcher.add(sequence);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      this.#post({ type: 'fault', request: id, fault: error.fault });
    }
  }

  #decode(batch: Batch): boolean {
    const rows = batch.map(({ run, token, position, wanted }) => {
      return { token, position, sequence: run.branch.sequence, wanted };
    });
    try {
      while (!this.#context.decode(rows)) {
        if (!this.#batcher.makeRoom(rows.length))
          raise('overloaded', `the KV cache has no room for ${rows.length} rows`);
      }
      return true;
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      for (const id of new Set(batch.map(({ run }) => run.sequence.id))) {
        this.#batcher.remove(id);
        this.#forget(id);
        this.#post({ type: 'fault', request: id, fault: error.fault });
      }
      return false;
    }
  }

  readonly #onComplete = (run: Run): void => {
    const sequence = this.#live.get(run.sequence.id);
    assert(sequence !== undefined, 'a sequence completes once');
    this.#forget(run.sequence.id);
    if (sequence instanceof Generation) {
      for (const [place, count] of sequence.judgedAt.entries()) addAt(this.#judgedAt, place, count);
      for (const [place, count] of sequence.acceptedAt.entries()) addAt(this.#acceptedAt, place, count);
    }
    this.#post(answerOf(sequence, run));
  };

  #forget(id: RequestId): void {
    const sequence = this.#live.get(id);
    if (sequence instanceof Generation) sequence.close();
    this.#live.delete(id);
    this.#drafts?.forget(id);
  }

  #draft(drafts: Drafts, runs: readonly Run[]): ReadonlySet<Run> {
    return this.#batcher.running <= drafts.options.mostSequences ? drafts.attend(runs) : new Set();
  }

  #checked(drafts: Drafts): Drafts {
    if (drafts.vocabularyHash === this.model.vocabularyHash()) return drafts;
    this.close();
    const { model } = drafts.options;
    return raise(
      'bad-setting',
      `the draft model ${model} has another vocabulary than ${this.model.path}; it must be the same`,
    );
  }

  #verdictTokens(verdict: { readonly good: string; readonly bad: string }): VerdictTokens {
    const one = (text: string): number => {
      const tokens = this.model.tokenize(text);
      if (tokens.length !== 1) {
        const parts = `${tokens.length} tokens`;
        this.close();
        return raise('bad-setting', `the verdict '${text}' is ${parts} of ${this.model.path}; it must be exactly one`);
      }
      return tokens[0]!;
    };
    return { good: one(verdict.good), bad: one(verdict.bad) };
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, each) => sum + each, 0);
}

function gpuOption(options: CoreOptions): { readonly gpuLayers?: number } {
  return options.gpuLayers === undefined ? {} : { gpuLayers: options.gpuLayers };
}

function usageOf(run: RunCounts | undefined, generatedTokens: number): GenerationUsage {
  return {
    computedTokens: run?.computedPrefixTokens ?? 0,
    cachedTokens: run?.cachedPrefixTokens ?? 0,
    generatedTokens,
    decodedTokens: run?.computedDrawnTokens ?? 0,
    exact: true,
  };
}

function answerOf(sequence: Generation | Reading, run: Run): CoreMessage {
  const { result } = sequence;
  assert(result !== undefined, 'a complete sequence has a result');
  const request = sequence.id;
  const usage = usageOf(run, sequence instanceof Generation ? sequence.generatedTokens : 0);
  if ('fault' in result) return { type: 'fault', request, fault: result.fault, usage };
  const read = sequence instanceof Generation ? sequence.read : undefined;
  if ('step' in result) return { type: 'step', request, step: result.step, usage, ...(read && { read }) };
  const { computedTokens, cachedTokens } = usage;
  return { type: 'read', request, ...result, usage: { computedTokens, cachedTokens } };
}

function checkSampling(sampling: Sampling, maxTokens: number): void {
  const { temperature, topP = 1, topK = 0, minP = 0 } = sampling;
  if (!(temperature >= 0 && temperature <= 100))
    raise('bad-setting', `temperature is ${temperature}; it must be from 0 to 100`);
  if (!(topP > 0 && topP <= 1)) raise('bad-setting', `topP is ${topP}; it must be above 0 and at most 1`);
  if (!(Number.isInteger(topK) && topK >= 0)) raise('bad-setting', `topK is ${topK}; it must be a whole number from 0`);
  if (!(minP >= 0 && minP <= 1)) raise('bad-setting', `minP is ${minP}; it must be from 0 to 1`);
  if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) {
    raise('bad-setting', `maxTokens is ${maxTokens}; it must be a whole number from 1`);
  }
}
