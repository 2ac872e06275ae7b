// The embedded engine: libllama in a thread of this process, behind the engine contract.

import { FaultError, raise } from '@coppice/core/base';
import type {
  DraftRecord,
  Engine,
  EngineCapabilities,
  EngineLoad,
  EngineMessage,
  GenerateRequest,
  JsonSchema,
} from '@coppice/core/engine';
import type { DraftOptions } from '../draft/drafts.ts';
import { schemaGrammar } from '../grammar/schema-grammar.ts';
import type { SharedWeights } from '../native/model.ts';
import { OnThread } from '../thread/on-thread.ts';
import { LlamaThread } from '../thread/thread.ts';

export interface LlamaEngineOptions {
  readonly model: string;
  /** KV cells, one per token, shared by all sequences. */
  readonly kvTokens?: number;
  /** Compute threads; by default a trial at the start finds the fastest number. */
  readonly threads?: number;
  readonly sequences?: number;
  readonly gpuLayers?: number;
  /** Folder of the libllama to load; by default the platform's usual one. */
  readonly libraryDirectory?: string;
  /** A draft model with the same vocabulary. None by default, since no measurement showed that it pays. */
  readonly draft?: DraftOptions;
}

// 8,192 cells hold some hundred steps of several searches; every used cell costs every row a little, so more is not
// better. With these limits on rows libllama's CPU attention is fastest and does not depend on the batch.
export const llamaDefaults = { kvTokens: 8192, threads: 1, sequences: 32, rowLimit: 63, bulkRows: 512 } as const;

/** On a CPU a decode costs as much as its rows: four take twice as long as one (decision 42). */
const cpuRidgeSequences = 4;

/** More threads do not help with a draft model or a GPU. */
function triesThreads({ threads, draft, gpuLayers = 0 }: LlamaEngineOptions): boolean {
  return threads === undefined && draft === undefined && gpuLayers === 0;
}

export class LlamaEngine extends OnThread implements Engine {
  readonly capabilities: EngineCapabilities;
  readonly #start: () => Promise<LlamaThread>;
  #post: (message: EngineMessage) => void = () => {};
  /** A reward model shares the weights. */
  #lent = false;
  readonly #sequences: number;
  #trial: Pick<DraftRecord, 'gain' | 'isUsed'> | undefined;

  private constructor(
    thread: LlamaThread,
    start: () => Promise<LlamaThread>,
    options: Required<Omit<LlamaEngineOptions, 'gpuLayers' | 'libraryDirectory' | 'draft'>>,
    { drafts, onGpu }: { readonly drafts: boolean; readonly onGpu: boolean },
  ) {
    super(thread);
    this.#start = start;
    this.#sequences = options.sequences;
    this.capabilities = {
      name: `llama ${thread.info.name}`,
      // Not with drafts: they depend on how many sequences run, and drafted tokens are other draws of the same distribution.
      seeded: !drafts,
      logprobs: true,
      pieces: true,
      entropy: true,
      streams: true,
      priorities: true,
      countsCache: true,
      contextTokens: Math.min(thread.info.contextTokens, options.kvTokens),
      thinking: thread.info.thinking,
      ...(onGpu ? {} : { ridgeSequences: cpuRidgeSequences }),
    };
  }

  static async open(options: LlamaEngineOptions): Promise<LlamaEngine> {
    const { kvTokens, threads, sequences } = { ...llamaDefaults, ...options };
    const settings = { model: options.model, kvTokens, threads, sequences };
    const start = () =>
      LlamaThread.start({
        ...settings,
        rowLimit: llamaDefaults.rowLimit,
        bulkRows: llamaDefaults.bulkRows,
        flashAttention: true,
        tokenIdsOf: 'own',
        triesThreads: triesThreads(options),
        ...(options.gpuLayers === undefined ? {} : { gpuLayers: options.gpuLayers }),
        ...(options.libraryDirectory === undefined ? {} : { libraryDirectory: options.libraryDirectory }),
        ...(options.draft === undefined ? {} : { draft: options.draft }),
      });
    const onGpu = (options.gpuLayers ?? 0) > 0;
    return new LlamaEngine(await start(), start, settings, { drafts: options.draft !== undefined, onGpu });
  }

  get weights(): SharedWeights {
    this.#lent = true;
    return this.thread.weights;
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
    this.thread.connect((message) => {
      if (message.type !== 'read') post(message);
    });
  }

  /** Reloads the file in a new thread; the old thread's cache is lost. */
  async reload(): Promise<void> {
    if (this.#lent) raise('unsupported', 'a reward model computes with the same weights; restart to change them');
    this.#refuseWhileBusy();
    const next = await this.#start();
    try {
      this.#refuseWhileBusy();
      if (next.info.vocabularyHash !== this.info.vocabularyHash)
        raise('bad-setting', 'the new weights have another vocabulary; restart to serve another model');
    } catch (error) {
      await next.close();
      throw error;
    }
    const old = this.thread;
    this.thread = next;
    this.connect(this.#post);
    await old.close();
  }

  #refuseWhileBusy(): void {
    const { outstanding } = this.thread;
    if (outstanding > 0) raise('overloaded', `${outstanding} requests are under way`);
  }

  shapeTrouble(schema: JsonSchema): string | undefined {
    try {
      schemaGrammar(schema);
      return undefined;
    } catch (error) {
      if (error instanceof FaultError) return error.fault.message;
      if (error instanceof RangeError) return 'the schema is nested too deeply';
      throw error;
    }
  }

  generate(requests: readonly GenerateRequest[]): void {
    this.thread.generate(requests);
  }

  load(): EngineLoad {
    const { outstanding, load, healthy } = this.thread;
    const runningSequences = Math.min(load.running, outstanding);
    return {
      runningSequences,
      waitingSequences: outstanding - runningSequences,
      sequenceLimit: this.#sequences,
      stepMs: load.stepMs,
      squeezed: load.squeezed,
      healthy,
      ...(this.#trial === undefined ? {} : { drafting: this.#drafting(this.#trial) }),
    };
  }

  /** Stores the result of the draft trial. */
  wasTried(trial: Pick<DraftRecord, 'gain' | 'isUsed'>): void {
    this.#trial = trial;
  }

  #drafting(trial: Pick<DraftRecord, 'gain' | 'isUsed'>): DraftRecord {
    const { draftedTokens, acceptedTokens } = this.thread.load;
    return { ...trial, draftedTokens, acceptedTokens };
  }
}
