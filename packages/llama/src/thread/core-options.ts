// Options and counters of a core.

import type { SharedWeights } from '../native/model.ts';

export interface CoreOptions {
  readonly model: string;
  /** Weights that another thread has loaded. */
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
  /** For a reward model: the two verdicts as text, one token each, and what is appended to a step before reading. */
  readonly verdict?: { readonly good: string; readonly bad: string; readonly marker: string };
  /** Vocabulary of the steps' token ids: this model's own, or one with this hash; else text is tokenised. */
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
  /** Drafted tokens that were judged, and those of them that stayed, by their place in the draft: the first at 0. */
  readonly judgedAt: readonly number[];
  readonly acceptedAt: readonly number[];
}
