// What a command asks on this machine: a model of its flags as the configuration would name it, and the limits of a person
// who pays for every token themselves.

import { checkConfig } from '../config/load.ts';
import type { LimitsConfig, ModelConfig } from '../config/schema.ts';
import { efforts, searchLimits } from '../config/search-limits.ts';
import { requestKnobs } from '../config/vocabulary.ts';
import type { GpuChoice } from '../engine/llama/gpu/gpu-names.ts';
import { isShipped, rewardModelOf } from '../engine/llama/shipped-models.ts';
import type { RemoteVerifierKind } from '../verifier/remote/open-verifier.ts';
import { makePlan } from './plan.ts';
import { askedQuestion, defaultStepPrompt } from './question-form.ts';
import type { PlannedModel, SearchPlan, Wish } from './search-plan.ts';

export interface OwnModelOptions {
  /** Name of a shipped model, or path of a GGUF file; with `engines`, what the server calls it. */
  readonly model?: string | undefined;
  /** Servers of the generator, instead of the embedded engine. */
  readonly engines?: readonly string[] | undefined;
  readonly keyEnv?: string | undefined;
  /** Servers of the reward model, and its format. */
  readonly verifiers?: readonly string[] | undefined;
  readonly kind?: RemoteVerifierKind | undefined;
  readonly verifierKeyEnv?: string | undefined;
  /** The reward model: a name or file, `exact`, or `none`; the one beside a shipped model where unset. */
  readonly prm?: string | undefined;
  readonly reading?: string | undefined;
  readonly good?: string | undefined;
  readonly bad?: string | undefined;
  readonly marker?: string | undefined;
  /** Without a reward model, score steps by the generator's own confidence: for programs that need a verifier. */
  readonly needsVerifier?: boolean;
  /** Server of an embedding model that groups open answers, and what it calls the model. */
  readonly embedder?: string | undefined;
  readonly embedderModel?: string | undefined;
  readonly embedderKeyEnv?: string | undefined;
  readonly check?: string | undefined;
  readonly threads?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly kvBytes?: number | undefined;
  readonly draft?: string | undefined;
  /** What the embedded engine computes on. */
  readonly gpu?: GpuChoice | undefined;
  readonly budget?: number | undefined;
  readonly stepPrompt?: string | undefined;
  readonly delimiters?: readonly string[] | undefined;
  /** File of thresholds that were chosen for this model. */
  readonly calibration?: string | undefined;
}

export function ownModel(options: OwnModelOptions): ModelConfig {
  const { budget, check, delimiters, calibration } = options;
  const shipped = shippedOf(options);
  const stepPrompt = shipped === undefined ? (options.stepPrompt ?? defaultStepPrompt) : '';
  const said = given({ budget, check, calibration, delimiters: shipped === undefined ? delimiters : undefined });
  const parts = { engine: engineOf(options), verifier: verifierOf(options), ...embedderOf(options) };
  const { models } = checkConfig({ models: [{ name: shipped ?? 'own', ...parts, stepPrompt, ...said }] });
  return models[0]!;
}

const defaultModelName = 'sapling';

/** The shipped model that is meant, if one is: servers serve no such names. */
function shippedOf({ model = defaultModelName, engines }: OwnModelOptions): string | undefined {
  return engines === undefined && isShipped(model) ? model : undefined;
}

function engineOf(options: OwnModelOptions): Record<string, unknown> {
  const { model, engines, keyEnv, threads, contextTokens, kvBytes, draft, gpu } = options;
  if (engines !== undefined) return { kind: 'openai', urls: engines, ...given({ model, apiKeyEnv: keyEnv }) };
  return { kind: 'llama', ...given({ model, threads, contextTokens, kvBytes, draft, gpu }) };
}

function verifierOf(options: OwnModelOptions): Record<string, unknown> {
  const {
    model = defaultModelName,
    engines,
    verifiers,
    kind,
    prm,
    reading,
    good,
    bad,
    marker,
    needsVerifier,
  } = options;
  if (verifiers !== undefined) {
    const named = kind === 'judge' ? { kind } : { kind: 'prm', format: kind ?? 'qwen-prm' };
    const verdicts = kind === 'judge' ? {} : given({ reading, good, bad, marker });
    return { ...named, urls: verifiers, ...verdicts, ...given({ apiKeyEnv: options.verifierKeyEnv }) };
  }
  const wanted = prm ?? (engines === undefined ? rewardModelOf(model) : 'none');
  if (wanted === 'exact') return { kind: 'exact' };
  if (wanted === 'none') return { kind: needsVerifier ? 'confidence' : 'none' };
  return { kind: 'prm', model: wanted, ...given({ reading, good, bad, marker }) };
}

function embedderOf({ embedder, embedderModel, embedderKeyEnv }: OwnModelOptions): Record<string, unknown> {
  if (embedder === undefined) return {};
  return { embedder: { url: embedder, ...given({ model: embedderModel, apiKeyEnv: embedderKeyEnv }) } };
}

function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

const { rollouts, tokenBudget, deadlineMs } = requestKnobs;
const unlimited = { rollouts: rollouts.high, tokens: tokenBudget.high, deadlineMs: deadlineMs.high, nodes: 10_000_000 };
const everyEffort = Object.fromEntries(efforts.map((name) => [name, { tokens: tokenBudget.high }]));

/** As much as the bounds of the vocabulary allow; an effort still says how many rollouts. */
export const ownLimits: LimitsConfig = searchLimits.parse({ ...unlimited, efforts: everyEffort });

/** The plan of one question that a command asks; a command always has a seed, and means it. */
export function ownPlan(model: PlannedModel, question: string, wish: Wish, seed: number): SearchPlan {
  return makePlan({
    question: askedQuestion(question),
    wish: { seed, ...wish },
    speaker: 'flags',
    model,
    limits: ownLimits,
    maxPriority: 0,
    defaultDeadlineMs: ownLimits.deadlineMs,
    seed,
  });
}
