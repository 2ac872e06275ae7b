// Models for code that calls coppice: by the names of the configuration, or from an engine and a verifier of one's own.

import type { OpenModel } from '../answering/open-model.ts';
import { openModel as openParts } from '../answering/open-models.ts';
import { ownModel } from '../answering/own-model.ts';
import type { Extract } from '../answering/search-request.ts';
import { checkConfig } from '../config/load.ts';
import type { ConfigInput, ModelConfig } from '../config/schema.ts';
import { BatchedEmbedder } from '../embedder/batched-embedder.ts';
import type { Engine } from '../engine/engine.ts';
import type { Verifier } from '../verifier/verifier.ts';
import { SearchModel } from './search-model.ts';

type ModelInput = ConfigInput['models'][number];

/** A model as the configuration of `coppice serve` writes it; only the engine must be said. */
export type ModelSettings = Omit<ModelInput, 'name'> & { readonly name?: string };

export interface ModelParts extends Omit<ModelInput, 'name' | 'engine' | 'verifier' | 'embedder'> {
  readonly name?: string;
  readonly engine: Engine;
  /** Without one, only programs that need none can run. */
  readonly verifier?: Verifier;
  /** Vectors for open answers, which are then grouped by what they mean: one for every text, in their order. */
  readonly embed?: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;
  /** What a finished path answers; what follows "the answer is", or stands in a box, unless said. */
  readonly extract?: Extract;
}

/**
 * Opens engine and verifier: `'sapling'` ships with coppice, any other text is the path of a GGUF file, and settings may name
 * servers. Secrets are read from the environment variables that the settings name.
 */
export async function openModel(settings: ModelSettings | string = 'sapling'): Promise<SearchModel> {
  const config = typeof settings === 'string' ? ownModel({ model: settings }) : configOf(settings);
  return new SearchModel(await openParts(config, process.env));
}

/** A model of parts that the caller has made, and hands over: closing the model closes them. */
export function makeModel({ engine, verifier, embed, extract, ...settings }: ModelParts): SearchModel {
  // The configuration names a kind of engine; nothing of a model that is already open reads it.
  const config = configOf({ ...settings, engine: { kind: 'sim' } });
  const parts: OpenModel = {
    config,
    engine,
    ...(verifier === undefined ? {} : { verifier }),
    ...(embed === undefined ? {} : { embedder: embedderOf(embed) }),
    ...(extract === undefined ? {} : { extract }),
  };
  return new SearchModel(parts);
}

/** As long as the configuration waits for a server of one. */
const embedMs = 5000;

function embedderOf(embed: NonNullable<ModelParts['embed']>): BatchedEmbedder {
  const texts = async (given: readonly string[]) => ({ vectors: await embed(given), tokens: 0 });
  return new BatchedEmbedder(texts, { name: 'embed', timeoutMs: embedMs });
}

function configOf(settings: ModelSettings): ModelConfig {
  return checkConfig({ models: [{ name: 'model', ...settings }] }).models[0]!;
}
