// A model of the configuration, opened: what generates, what scores, and how a question is put to it.

import type { OpenParts } from '../../config/plugin.ts';
import type { ModelConfig } from '../../config/schema.ts';
import type { Embedder } from '../../embedder/embedder.ts';

export interface OpenModel extends OpenParts {
  readonly config: ModelConfig;
  readonly embedder?: Embedder | undefined;
}

export async function closeModel({ engine, verifier, embedder }: OpenModel): Promise<void> {
  await Promise.all([engine.close(), verifier?.close(), embedder?.close()]);
}
