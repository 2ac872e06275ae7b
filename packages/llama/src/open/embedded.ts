// Opens the embedded engine with its reward model: the shipped generator's own, a given one, or none. A note names the choices.

import { assert, raise } from '@coppice/core/base';
import { tableCost } from '@coppice/core/cost';
import { type CausalVerdicts, stepReading } from '@coppice/core/verifier';
import { type AdapterPlace, adapterAt, readingBeside } from '../adapter/adapter-place.ts';
import { leastGain, tryDraft } from '../engine/draft-trial.ts';
import { LlamaEngine, type LlamaEngineOptions, llamaDefaults } from '../engine/llama-engine.ts';
import { chooseGpu, type GpuLibrary, thisMachine } from '../gpu/gpu-library.ts';
import type { GpuChoice } from '../gpu/gpu-names.ts';
import { tryLibrary } from '../gpu/gpu-trial.ts';
import { LlamaPrm, type LlamaPrmOptions } from '../prm/llama-prm.ts';
import { modelPath, rewardModelOf } from '../shipped-models.ts';
import type { ThreadInfo } from '../thread/thread-messages.ts';
import { type KvSplitProblem, splitKv } from './kv-split.ts';

export interface EmbeddedOptions {
  /** Name of a shipped model or path of a GGUF file. */
  readonly model: string;
  /** Reward model by name or path, or a LoRA adapter of the generator; `none` for none. */
  readonly prm?: string;
  /** A draft model with the generator's vocabulary, by name or path; used if a trial at the start shows that it pays. */
  readonly draft?: string;
  readonly kvTokens?: number;
  readonly threads?: number;
  /** Device, by default `auto`: a GPU if a library for one is installed and runs. */
  readonly gpu?: GpuChoice;
  /** Memory for both caches together; the two models are measured and share it by P4 §4.3. Overrides `kvTokens`. */
  readonly kvBytes?: number;
  /** Cells of each side, if already decided. */
  readonly kvSplit?: MemoryShare;
}

export interface MemoryShare {
  readonly generatorTokens: number;
  readonly verifierTokens: number;
}

export interface Embedded {
  readonly engine: LlamaEngine;
  readonly verifier: LlamaPrm | undefined;
  readonly isSelfDescribed: boolean;
  readonly note: string;
  readonly scoredBy: string | undefined;
  readonly kvSplit?: MemoryShare;
  close(): Promise<void>;
}

type ChosenOptions = Omit<EmbeddedOptions, 'gpu'> & { readonly library: GpuLibrary };

/** The round that the split assumes: paths an eighth of the model's context, of eight steps, expanded by four. */
const typical = { pathShare: 1 / 8, mostPathTokens: 512, pathSteps: 8, siblings: 4 } as const;
/** Cells of each model during the measurement. */
const trialKvTokens = 2048;
/** Each side keeps room for one sequence of its model's longest length, at most this. */
const longestPathTokens = 2048;

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const library = await chooseGpu(options.gpu ?? 'auto', modelPath(options.model), thisMachine(tryLibrary));
  const opened = await openSized({ ...options, library });
  return library.note === undefined ? opened : { ...opened, note: `${opened.note}, ${library.note}` };
}

async function openSized(options: ChosenOptions): Promise<Embedded> {
  const { kvBytes, ...rest } = options;
  if (kvBytes === undefined) return openPair(rest);
  const trial = await openPair({ ...rest, kvTokens: trialKvTokens });
  const kvSplit = await measuredSplit(trial, kvBytes).finally(() => trial.close());
  const embedded = await openPair({ ...rest, kvSplit });
  return { ...embedded, kvSplit, note: `${embedded.note} (${splitText(kvBytes, kvSplit)})` };
}

export async function measuredSplit({ engine, verifier }: Embedded, kvBytes: number): Promise<MemoryShare> {
  const generatorTokenBytes = engine.info.kvTokenBytes;
  if (verifier === undefined) {
    const leastBytes = longestPath(engine) * generatorTokenBytes;
    if (kvBytes < leastBytes) return refuse(kvBytes, leastBytes);
    return { generatorTokens: Math.floor(kvBytes / generatorTokenBytes), verifierTokens: 0 };
  }
  const verifierTokenBytes = verifier.info.kvTokenBytes;
  const [leastGeneratorTokens, leastVerifierTokens] = [longestPath(engine), longestPath(verifier)];
  const leastBytes = leastGeneratorTokens * generatorTokenBytes + leastVerifierTokens * verifierTokenBytes;
  if (kvBytes < leastBytes) return refuse(kvBytes, leastBytes); // before the measurement, which takes a while
  const split = splitKv({ ...(await measuredRound(engine, verifier)), memoryBytes: kvBytes });
  assert(split !== undefined, 'what both sides need at least was found to fit');
  return { generatorTokens: split.generatorTokens, verifierTokens: split.verifierTokens };
}

export async function measuredRound(
  engine: LlamaEngine,
  verifier: LlamaPrm,
): Promise<Omit<KvSplitProblem, 'memoryBytes'>> {
  return {
    ...typicalRound(engine.info),
    generator: tableCost(await engine.measure()),
    verifier: tableCost(await verifier.measure()),
    generatorTokenBytes: engine.info.kvTokenBytes,
    verifierTokenBytes: verifier.info.kvTokenBytes,
    leastGeneratorTokens: longestPath(engine),
    leastVerifierTokens: longestPath(verifier),
    mostDecode: llamaDefaults.sequences,
    verifierReusesPrefix: verifier.capabilities.reusesPrefix,
  };
}

export function splitText(kvBytes: number, { generatorTokens, verifierTokens }: MemoryShare): string {
  const memory = `${(kvBytes / 1_048_576).toFixed(1)} MiB of KV memory`;
  return `of ${memory}: generator ${generatorTokens} tokens, verifier ${verifierTokens}`;
}

function typicalRound({ contextTokens }: ThreadInfo) {
  const { pathShare, mostPathTokens, pathSteps, siblings } = typical;
  const pathTokens = Math.min(mostPathTokens, Math.ceil(contextTokens * pathShare));
  return { pathTokens, stepTokens: Math.ceil(pathTokens / pathSteps), siblings };
}

function longestPath({ info }: { readonly info: ThreadInfo }): number {
  return Math.min(info.contextTokens, longestPathTokens);
}

function refuse(kvBytes: number, leastBytes: number): never {
  return raise('bad-setting', `the KV memory is ${kvBytes} bytes; these models need at least ${leastBytes} (kvBytes)`);
}

async function openPair(options: Omit<ChosenOptions, 'kvBytes'>): Promise<Embedded> {
  const named = options.prm ?? rewardModelOf(options.model);
  const prm = named === 'none' || named === 'exact' ? undefined : named;
  const { kvTokens, kvSplit, threads } = options;
  // A reward model in this process computes beside the generator, and threads that wait for each other stand still: one each by default.
  const beside = prm === undefined ? threads : (threads ?? llamaDefaults.threads);
  const sizes = definedOf({ kvTokens: kvSplit?.generatorTokens ?? kvTokens, threads: beside });
  const { directory, gpuLayers } = options.library;
  const library = {
    ...(directory === undefined ? {} : { libraryDirectory: directory }),
    ...(gpuLayers === undefined ? {} : { gpuLayers }),
  };
  const adapter = prm === undefined ? undefined : adapterAt(modelPath(prm)); // before the generator, which may take long to load
  const reading = adapter?.reading ?? (prm === undefined ? {} : readingBeside(modelPath(prm)));
  const { engine, drafting } = await openGenerator(
    { ...sizes, ...library, model: modelPath(options.model) },
    options.draft,
  );
  try {
    const sized = { ...definedOf({ kvTokens: kvSplit?.verifierTokens ?? kvTokens, threads }), ...library };
    const verdict = { ...stepReading, ...reading };
    const verifier =
      prm === undefined
        ? undefined
        : await openReward(prm, verdict, engine, { ...sized, ...onGenerator(prm, adapter, engine) });
    const shared = adapter === undefined ? '' : ' on the same weights';
    const scoredBy = prm === undefined ? undefined : `${prm}${shared}`;
    const computing = engine.info.threads > 1 ? `, ${engine.info.threads} threads` : '';
    const note = `${options.model}${drafting}${computing}`;
    const close = async () => void (await Promise.all([engine.close(), verifier?.close()]));
    const isSelfDescribed = Object.keys(reading).length > 0;
    return { engine, verifier, isSelfDescribed, note, scoredBy, close };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** An adapter uses the generator's weights. So does a reward model in the same file, which need not be loaded twice. */
function onGenerator(
  prm: string,
  adapter: AdapterPlace | undefined,
  { weights }: LlamaEngine,
): Pick<LlamaPrmOptions, 'adapter' | 'weights'> {
  if (adapter !== undefined) return { adapter: adapter.path, weights };
  return modelPath(prm) === weights.path ? { weights } : {};
}

async function openGenerator(
  options: LlamaEngineOptions,
  draft: string | undefined,
): Promise<{ readonly engine: LlamaEngine; readonly drafting: string }> {
  if (draft === undefined) return { engine: await LlamaEngine.open(options), drafting: '' };
  const { engine, gain } = await tryDraft(options, modelPath(draft));
  const times = `${gain.toFixed(2)} times as fast in a trial`;
  const outcome = gain >= leastGain ? `drafted by ${draft} (${times})` : `not drafted: with ${draft} ${times}`;
  return { engine, drafting: `, ${outcome}` };
}

function openReward(
  prm: string,
  verdict: CausalVerdicts & Pick<LlamaPrmOptions, 'aggregation' | 'trust' | 'measured'>,
  engine: LlamaEngine,
  sizes: Pick<LlamaPrmOptions, 'kvTokens' | 'threads' | 'libraryDirectory' | 'gpuLayers' | 'adapter' | 'weights'>,
): Promise<LlamaPrm> {
  return LlamaPrm.open({
    ...sizes,
    ...verdict,
    model: sizes.weights?.path ?? modelPath(prm),
    vocabularyHash: engine.info.vocabularyHash,
  });
}

/** Drops undefined members, so that a missing option does not hide its default. */
function definedOf<T extends Record<string, number | undefined>>(values: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number;
  };
}
