// The engine inside its thread: model, cache and batcher, one decode per `step`. Synchronous; every request is answered exactly once.

import { assert, FaultError, raise } from '@coppice/core/base';
import type { MeasuredPoints } from '@coppice/core/cost';
import type { GenerateRequest, RequestId, Urgency } from '@coppice/core/engine';
import type { Sampling } from '@coppice/core/tree';
import { Batcher } from '../batch/batcher.ts';
import { Context, maxSequences } from '../batch/context.ts';
import { DraftTally } from '../batch/draft-tally.ts';
import { Generation } from '../batch/generation.ts';
import type { Reading, ReadRequest } from '../batch/reading.ts';
import type { Batch, Run } from '../batch/run.ts';
import { Sampler } from '../batch/sampler.ts';
import type { Drafts } from '../draft/drafts.ts';
import { loadAdapter } from '../native/adapter.ts';
import type { Binding } from '../native/binding.ts';
import { Model } from '../native/model.ts';
import { PrefixStore } from '../prefix-cache/prefix-store.ts';
import { answerOf, type CoreMessage, cancelledOf } from './answers.ts';
import type { CoreCounts, CoreOptions } from './core-options.ts';
import { measuredTimes, tryThreads } from './core-times.ts';
import { PathTokens } from './path-tokens.ts';
import { VerdictReader } from './verdict-reader.ts';

// Kept rows of logits, at most 16 MiB.
const keptLogits = 4 * 1024 * 1024;

export class Core {
  readonly model: Model;
  readonly #context: Context;
  readonly #store: PrefixStore;
  readonly #batcher: Batcher;
  readonly #sampler: Sampler;
  readonly #drafts: Drafts | undefined;
  readonly #judged = new DraftTally();
  readonly #options: CoreOptions;
  readonly #paths: PathTokens;
  readonly #verdictReader: VerdictReader | undefined;
  readonly #post: (message: CoreMessage) => void;
  readonly #live = new Map<RequestId, Generation | Reading>();
  #decodes = 0;
  #rows = 0;
  #threads: number;

  constructor(binding: Binding, options: CoreOptions, post: (message: CoreMessage) => void, drafts?: Drafts) {
    const { weights, adapter } = options;
    this.model = weights ? Model.borrow(binding, weights) : Model.load(binding, options.model, options);
    this.#options = options;
    this.#threads = options.threads;
    this.#post = post;
    try {
      this.#context = Context.create(binding, this.model, {
        cells: options.kvTokens,
        threads: options.threads,
        rows: Math.max(options.rowLimit, options.bulkRows),
        flashAttention: options.flashAttention,
        // Loaded before the context is made: libllama sizes its graph by the model's adapters.
        ...(adapter === undefined ? {} : { adapter: loadAdapter(binding, this.model, adapter) }),
      });
    } catch (error) {
      this.model.close();
      throw error;
    }
    // The library rounds the number of cells up; the core keeps to the configured number.
    const limits = { cells: options.kvTokens, sequences: maxSequences };
    this.#store = new PrefixStore(this.#context, { ...limits, keptLogits });
    this.#paths = new PathTokens(this.model, options.tokenIdsOf, this.#store.cells);
    this.#drafts = this.#closedOnFault(() => drafts && checkedDrafts(drafts, this.model));
    this.#batcher = new Batcher(this.#store, {
      runningLimit: options.sequences,
      rowLimit: options.rowLimit,
      bulkRows: options.bulkRows,
      ...(drafts === undefined ? {} : { draft: (runs: readonly Run[]) => this.#draft(drafts, runs) }),
    });
    this.#sampler = new Sampler(this.model.vocabularySize);
    this.#verdictReader = this.#closedOnFault(() => options.verdict && new VerdictReader(this.model, options.verdict));
  }

  get hasWork(): boolean {
    return this.#batcher.hasWork;
  }

  get threads(): number {
    return this.#threads;
  }

  get counts(): CoreCounts {
    return {
      running: this.#batcher.running,
      squeezed: this.#batcher.squeezed,
      usedCells: this.#store.usedCells,
      branches: this.#store.branches,
      decodes: this.#decodes,
      rows: this.#rows,
      draftedTokens: this.#judged.draftedTokens,
      acceptedTokens: this.#judged.acceptedTokens,
      judgedAt: this.#judged.judgedAt,
      acceptedAt: this.#judged.acceptedAt,
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
    const reader = this.#verdictReader;
    assert(reader !== undefined, 'reading needs a core that was made for a reward model');
    for (const request of requests) this.#take(request.id, () => reader.reading(request, this.#paths));
  }

  cancel(ids: readonly RequestId[]): void {
    for (const id of ids) {
      const sequence = this.#live.get(id);
      if (sequence === undefined) continue; // already answered
      const run = this.#batcher.remove(id);
      this.#forget(id);
      this.#post(cancelledOf(sequence, run));
    }
  }

  update(id: RequestId, urgency: Urgency): void {
    this.#batcher.update(id, urgency);
  }

  release(search: string): void {
    this.#batcher.release(search);
    this.#drafts?.release(search);
  }

  /** Decodes once. False if there is no work, or none until a draft arrives. */
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

  tryThreads(nowMs: () => number, cores: number): void {
    this.#threads = tryThreads(this.#context, this.model, nowMs, cores) ?? this.#threads;
  }

  /** Times decodes on the idle engine, after dropping all cached prefixes. */
  measure(nowMs: () => number, budgetMs: number, processorMs?: () => number): MeasuredPoints {
    if (this.#batcher.hasWork) raise('overloaded', 'the engine measures itself only while it is idle');
    this.#store.dropIdle();
    const { rowLimit, bulkRows, kvTokens: cells } = this.#options;
    return measuredTimes(this.#context, {
      nowMs,
      budgetMs,
      processorMs,
      rowLimit,
      bulkRows,
      cells,
      model: this.model,
      sampler: this.#sampler,
      pathLimit: this.#paths.limit,
      isVerifier: this.#verdictReader !== undefined,
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
    if (sequence instanceof Generation) this.#judged.add(sequence.drafts);
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

  /** Closes the parts opened so far if the next one fails: the caller gets no core to close. */
  #closedOnFault<Part>(make: () => Part): Part {
    try {
      return make();
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

function checkedDrafts(drafts: Drafts, model: Model): Drafts {
  if (drafts.vocabularyHash === model.vocabularyHash()) return drafts;
  const which = `the draft model ${drafts.options.model} has another vocabulary than ${model.path}`;
  return raise('bad-setting', `${which}; it must be the same`);
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
