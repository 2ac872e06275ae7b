// The embedded engine with the verifier that goes with it: the reward model beside the shipped generator, a given one, or
// the generator's own confidence. Says in words what it chose, so that a command can tell the user.

import { LlamaEngine, type LlamaEngineOptions } from '../../engine/llama/llama-engine.ts';
import { isShipped, modelPath } from '../../engine/llama/shipped-models.ts';
import { ConfidenceVerifier } from '../../verifier/confidence/confidence-verifier.ts';
import { LlamaPrm } from '../../verifier/prm/llama-prm.ts';
import type { Verifier } from '../../verifier/verifier.ts';

export type EmbeddedOptions = {
  /** Name of a shipped model or path of a GGUF file. */
  readonly model: string;
  /** The same for the reward model; `none` for the generator's own confidence. */
  readonly prm?: string;
  readonly kvTokens?: number;
  readonly threads?: number;
  readonly sequences?: number;
};

export type Embedded = {
  readonly engine: LlamaEngine;
  readonly verifier: LlamaPrm | Verifier;
  readonly hasRewardModel: boolean;
  readonly note: string;
  close(): Promise<void>;
};

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const prm = options.prm ?? (isShipped(options.model) ? `${options.model}-prm` : 'none');
  const { kvTokens, threads, sequences } = options;
  const sizes = definedOf({ kvTokens, threads, sequences });
  const engine = await LlamaEngine.open({ ...sizes, model: modelPath(options.model) });
  try {
    const verifier = await openVerifier(prm, engine, definedOf({ kvTokens, threads }));
    const hasRewardModel = prm !== 'none';
    const note = hasRewardModel
      ? `${options.model}, scored by ${prm}`
      : `${options.model}, without a reward model: steps are scored by the model's own confidence`;
    const close = async () => void (await Promise.all([engine.close(), verifier.close()]));
    return { engine, verifier, hasRewardModel, note, close };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function openVerifier(
  prm: string,
  engine: LlamaEngine,
  sizes: Pick<LlamaEngineOptions, 'kvTokens' | 'threads'>,
): Promise<Verifier> {
  if (prm === 'none') return Promise.resolve(new ConfidenceVerifier());
  return LlamaPrm.open({ ...sizes, model: modelPath(prm), vocabularyHash: engine.info.vocabularyHash });
}

/** Only the members that have a value: an option that is not given must not hide its default. */
function definedOf<T extends Record<string, number | undefined>>(values: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number;
  };
}
