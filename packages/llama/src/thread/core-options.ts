// Options and counters of a core.

import type { SharedWeights } from '../native/model.ts';

export interface CoreOptions {
  readonly model: string;
  /** Weights loaded by another thread. */
  readonly weights?: SharedWeights;
  /** A LoRA adapter for this core alone: a PEFT folder, or a GGUF file. */
  readonly adapter?: string;
  readonly kvTokens: number;
  readonly threads: number;
  readonly sequences: number;
  readonly rowLimit: number;
  readonly bulkRows: number;
  readonly flashAttention: boolean;
  readonly gpuLayers?: number;
  /** For a reward model: the texts of the two verdicts, one token each, and the marker after each step. */
  readonly verdict?: { readonly good: string; readonly bad: string; readonly marker: string };
  /** Vocabulary of the steps' token ids: this model's own, or the one with this hash. Otherwise text is tokenised. */
  readonly tokenIdsOf: 'own' | 'foreign' | number;
}

export interface CoreCounts {
  readonly running: number;
  readonly squeezed: boolean;
  readonly usedCells: number;
  readonly branches: number;
  readonly decodes: number;
  readonly rows: number;
  readonly draftedTokens: number;
  readonly acceptedTokens: number;
  /** Drafted tokens that were judged and accepted, by their place in the draft, the first at 0. */
  readonly judgedAt: readonly number[];
  readonly acceptedAt: readonly number[];
}
