// The contract of embedders: a vector for a text, for comparing open answers (answer/likeness.ts). Each request is answered by exactly one
// `vector` or `fault`, within a time limit. The same text has the same vector. Excluded: grouping, retries by the caller. Conformance
// suite: testing/embedder-cases.ts.

import type { Fault } from '../base/fault.ts';

export interface EmbedRequest {
  readonly id: number;
  readonly text: string;
}

export type EmbedderMessage =
  | {
      readonly type: 'vector';
      readonly request: number;
      readonly vector: readonly number[];
      readonly tokens: number;
    }
  | { readonly type: 'fault'; readonly request: number; readonly fault: Fault };

export interface EmbedderLoad {
  readonly healthy: boolean;
  readonly waiting: number;
  readonly texts: number;
  readonly failed: number;
}

export interface Embedder {
  readonly name: string;
  connect(post: (message: EmbedderMessage) => void): void;
  embed(requests: readonly EmbedRequest[]): void;
  load(): EmbedderLoad;
  close(): Promise<void>;
}
