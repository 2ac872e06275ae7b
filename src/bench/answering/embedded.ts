// The embedded engine with the verifier that goes with it: the reward model beside the shipped generator, a given one, or
// the generator's own confidence. Says in words what it chose, so that a command can tell the user.

import { raise } from '../../base/fault.ts';
import { type KvSplit, splitKv } from '../../cost/kv-split.ts';
import { tableCost } from '../../cost/table.ts';
import { LLAMA_DEFAULTS, LlamaEngine, type LlamaEngineOptions } from '../../engine/llama/llama-engine.ts';
import { isShipped, modelPath } from '../../engine/llama/shipped-models.ts';
import { ConfidenceVerifier } from '../../verifier/confidence/confidence-verifier.ts';
import { CheckedVerifier } from '../../verifier/exact/checked-verifier.ts';
import { ExactVerifier } from '../../verifier/exact/exact-verifier.ts';
import { LlamaPrm, type ReadingName, readings } from '../../verifier/prm/llama-prm.ts';
import type { Verifier } from '../../verifier/verifier.ts';

export type EmbeddedOptions = {
  /** Name of a shipped model or path of a GGUF file. */
  readonly model: string;
  /** The same for the reward model; `none` for the generator's own confidence, `exact` for the checker of countdown. */
  readonly prm?: string;
  /** What the reward model is read for; `step` unless said. */
  readonly reading?: ReadingName;
  /** Steps that state a false equation score 0. */
  readonly checkArithmetic?: boolean;
  readonly kvTokens?: number;
  readonly threads?: number;
  readonly sequences?: number;
  /** Memory for both caches together; the two models are measured and share it by P4 §4.3. Instead of `kvTokens`. */
  readonly kvBytes?: number;
};

export type Embedded = {
  readonly engine: LlamaEngine;
  readonly verifier: LlamaPrm | Verifier;
  readonly hasRewardModel: boolean;
  readonly note: string;
  close(): Promise<void>;
};

/** A round as the split assumes it: searches wait for steps of this length at the ends of paths of this length. */
const TYPICAL = { requests: 32, pathTokens: 96, stepTokens: 24 } as const;

export async function openEmbedded({ checkArithmetic, ...options }: EmbeddedOptions): Promise<Embedded> {
  const embedded = await openSized(options);
  if (!checkArithmetic) return embedded;
  const verifier = new CheckedVerifier(embedded.verifier);
  return { ...embedded, verifier, note: `${embedded.note}, arithmetic checked` };
}

async function openSized(options: EmbeddedOptions): Promise<Embedded> {
  const { kvBytes, ...rest } = options;
  if (kvBytes === undefined) return openPair(rest);
  const trial = await openPair({ ...rest, kvTokens: 2048 });
  const split = await measuredSplit(trial, kvBytes).finally(() => trial.close());
  return openPair({ ...rest, kvTokens: split.generatorTokens, prmKvTokens: split.verifierTokens });
}

/** How both models should share a memory, from their own measured times. */
export async function measuredSplit({ engine, verifier }: Embedded, kvBytes: number): Promise<KvSplit> {
  if (!(verifier instanceof LlamaPrm)) {
    return { generatorTokens: Math.floor(kvBytes / engine.info.kvTokenBytes), verifierTokens: 0, ...NO_BATCHES };
  }
  const split = splitKv({
    ...TYPICAL,
    generator: tableCost(await engine.measure()),
    verifier: tableCost(await verifier.measure()),
    generatorTokenBytes: engine.info.kvTokenBytes,
    verifierTokenBytes: verifier.info.kvTokenBytes,
    memoryBytes: kvBytes,
    mostDecode: LLAMA_DEFAULTS.sequences,
    mostPrefill: TYPICAL.requests,
    verifierReusesPrefix: verifier.capabilities.reusesPrefix,
  });
  const leastBytes = [engine, verifier].reduce((sum, { info }) => sum + info.contextTokens * info.kvTokenBytes, 0);
  if (split === undefined || kvBytes < leastBytes) {
    return raise(
      'bad-setting',
      `the KV memory is ${kvBytes} bytes; these two models need at least ${leastBytes} (--kv-memory)`,
    );
  }
  // Neither side may end up with less than one sequence of the longest length that its model knows.
  const verifierTokens = Math.max(split.verifierTokens, verifier.info.contextTokens);
  const left = kvBytes - verifierTokens * verifier.info.kvTokenBytes;
  return { ...split, verifierTokens, generatorTokens: Math.floor(left / engine.info.kvTokenBytes) };
}

const NO_BATCHES = { decodeBatch: 0, prefillBatch: 0, totalMs: 0 } as const;

async function openPair(options: EmbeddedOptions & { readonly prmKvTokens?: number }): Promise<Embedded> {
  const prm = options.prm ?? (isShipped(options.model) ? `${options.model}-prm` : 'none');
  const { kvTokens, threads, sequences } = options;
  const sizes = definedOf({ kvTokens, threads, sequences });
  const engine = await LlamaEngine.open({ ...sizes, model: modelPath(options.model) });
  try {
    const verifierTokens = options.prmKvTokens ?? kvTokens;
    const sized = definedOf({ kvTokens: verifierTokens, threads });
    const verifier = await openVerifier(prm, options.reading ?? 'step', engine, sized);
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
  reading: ReadingName,
  engine: LlamaEngine,
  sizes: Pick<LlamaEngineOptions, 'kvTokens' | 'threads'>,
): Promise<Verifier> {
  if (prm === 'none') return Promise.resolve(new ConfidenceVerifier());
  if (prm === 'exact') return Promise.resolve(new ExactVerifier());
  return LlamaPrm.open({
    ...sizes,
    ...readings[reading],
    model: modelPath(prm),
    vocabularyHash: engine.info.vocabularyHash,
  });
}

/** Only the members that have a value: an option that is not given must not hide its default. */
function definedOf<T extends Record<string, number | undefined>>(values: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number;
  };
}
