// A model of the configuration, opened: what generates, what scores, and how a question is put to it.

import type { ModelConfig } from '../../config/schema.ts';
import type { Embedder } from '../../embedder/embedder.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import type { Extract } from '../plan/search-request.ts';
import type { FormQuestion } from '../question-form.ts';
import type { Embedded } from './embedded.ts';

/** A server of its own chat endpoint, for what cannot be searched. The URLs come from the configuration alone. */
export interface Upstream {
  /** Base URLs of replicas, as they are now; the next is tried where one cannot be reached. */
  readonly urls: readonly string[];
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OpenModel {
  readonly config: ModelConfig;
  readonly engine: Engine;
  readonly verifier?: Verifier | undefined;
  /** Where open answers are grouped. */
  readonly embedder?: Embedder | undefined;
  /** What a finished path answers; the general rule where unset. */
  readonly extract?: Extract;
  /** Where the model takes no conversation. */
  readonly form?: FormQuestion | undefined;
  readonly upstream?: Upstream;
  /** The embedded pair, for benchmarks of it. */
  readonly embedded?: Embedded;
  /** In words, what generates and what scores. */
  readonly note?: string;
  /** What the user must know before trusting it, one line each. */
  readonly warnings?: readonly string[] | undefined;
}

export async function closeModel({ engine, verifier, embedder }: OpenModel): Promise<void> {
  await Promise.all([engine.close(), verifier?.close(), embedder?.close()]);
}
