// A process reward model on the embedded engine, in its own thread. A step's reward is the probability of the good verdict against the
// bad one after its last token. Scored paths stay in the cache. The model may be a LoRA adapter of the generator, on the same weights.

import { basename } from 'node:path';
import type { Aggregation } from '@coppice/core/tree';
import {
  type ScoreRequest,
  stepReading,
  type Verifier,
  type VerifierCapabilities,
  type VerifierLoad,
  type VerifierMessage,
} from '@coppice/core/verifier';
import type { AdapterReading } from '../adapter/adapter-place.ts';
import { llamaDefaults } from '../engine/llama-engine.ts';
import type { SharedWeights } from '../native/model.ts';
import { OnThread } from '../thread/on-thread.ts';
import { LlamaThread } from '../thread/thread.ts';

export interface LlamaPrmOptions {
  readonly model: string;
  /** The generator's loaded weights, if both use the same file. */
  readonly weights?: SharedWeights;
  /** A LoRA adapter of that model: a PEFT folder, or a GGUF file. */
  readonly adapter?: string;
  /** Hash of the generator's vocabulary: if it is the same, token ids are read instead of text. */
  readonly vocabularyHash?: number;
  readonly kvTokens?: number;
  readonly threads?: number;
  readonly good?: string;
  readonly bad?: string;
  /** Text after every step, before the verdict is read, for models trained with a marker. */
  readonly marker?: string;
  readonly aggregation?: Aggregation;
  /** Exponent s of the vote weight odds^s, as published with the model. */
  readonly trust?: number;
  readonly measured?: AdapterReading['measured'];
  /** The same as the generator's: a process can use only one libllama. */
  readonly libraryDirectory?: string;
  readonly gpuLayers?: number;
}

type Described = Pick<LlamaPrmOptions, 'adapter' | 'weights' | 'trust' | 'measured'> & {
  readonly aggregation: Aggregation;
};

/** Cost of reading a whole sample at once over writing two side by side, on shared weights; measured with a 0.5B on one thread. */
const sharedReadingCost = 0.35;

export class LlamaPrm extends OnThread implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly sharesWeights: boolean;
  readonly measured: LlamaPrmOptions['measured'];

  private constructor(thread: LlamaThread, { adapter, weights, aggregation, trust, measured }: Described) {
    super(thread);
    this.sharesWeights = weights !== undefined;
    this.measured = measured;
    const name = `llama ${thread.info.name}${adapter === undefined ? '' : ` with ${basename(adapter)}`}`;
    const readingCost = this.sharesWeights ? sharedReadingCost : undefined;
    this.capabilities = { name, aggregation, reusesPrefix: true, looksAhead: true, trust, readingCost };
  }

  static async open(options: LlamaPrmOptions): Promise<LlamaPrm> {
    const { kvTokens, threads, good, bad, marker, aggregation } = { ...llamaDefaults, ...stepReading, ...options };
    const thread = await LlamaThread.start({
      model: options.model,
      ...(options.weights === undefined ? {} : { weights: options.weights }),
      ...(options.adapter === undefined ? {} : { adapter: options.adapter }),
      kvTokens,
      threads,
      sequences: llamaDefaults.rowLimit,
      rowLimit: llamaDefaults.rowLimit,
      bulkRows: llamaDefaults.bulkRows,
      flashAttention: true,
      tokenIdsOf: options.vocabularyHash ?? 'foreign',
      ...(options.gpuLayers === undefined ? {} : { gpuLayers: options.gpuLayers }),
      ...(options.libraryDirectory === undefined ? {} : { libraryDirectory: options.libraryDirectory }),
      verdict: { good, bad, marker },
    });
    return new LlamaPrm(thread, { ...options, aggregation });
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.thread.connect((message) => {
      if (message.type === 'fault') post({ type: 'fault', request: message.request, fault: message.fault });
      if (message.type !== 'read') return;
      const { request, probability, usage } = message;
      post({ type: 'score', request, reward: probability, usage });
    });
  }

  score(requests: readonly ScoreRequest[]): void {
    const reads = requests.map(({ id, search, prompt, parent, path, step, lane, priority }) => {
      const steps = [...path.map((each) => each.step), step];
      return { id, search, prompt, parent, steps, lane, priority };
    });
    this.thread.read(reads);
  }

  load(): VerifierLoad {
    return { waiting: this.thread.outstanding, healthy: this.thread.healthy };
  }
}
