// What a command asks on this machine: a model of its flags as the configuration would name it, and the limits of a person
// who pays for every token themselves.

import { raise } from '../../base/fault.ts';
import { checkConfig, overlay, type PlainTree } from '../../config/load.ts';
import { modelSettings } from '../../config/model-settings.ts';
import type { LimitsConfig, ModelConfig } from '../../config/schema.ts';
import { searchLimits } from '../../config/search-limits.ts';
import { requestKnobs } from '../../config/vocabulary.ts';
import { isShipped, rewardModelOf } from '../../engine/llama/shipped-models.ts';
import type { RemoteVerifierKind } from '../../verifier/remote/open-verifier.ts';
import { makePlan } from '../plan/plan.ts';
import type { PlannedModel, SearchPlan, Wish } from '../plan/search-plan.ts';
import { askedQuestion } from '../question-form.ts';

export interface OwnModelOptions {
  /** Name of a shipped model, or path of a GGUF file; with `engines`, what the server calls it. */
  readonly model?: string | undefined;
  /** Servers of the generator, instead of the embedded engine. */
  readonly engines?: readonly string[] | undefined;
  /** Servers of the reward model, and its format. */
  readonly verifiers?: readonly string[] | undefined;
  readonly kind?: RemoteVerifierKind | undefined;
  /** The reward model: a name or file, `exact`, or `none`; the one beside a shipped model where unset. */
  readonly prm?: string | undefined;
  /** Without a reward model, score steps by the generator's own confidence: for programs that need a verifier. */
  readonly needsVerifier?: boolean;
  /** Server of an embedding model that groups open answers. */
  readonly embedder?: string | undefined;
  readonly check?: string | undefined;
  readonly draft?: string | undefined;
  readonly stepPrompt?: string | undefined;
  readonly delimiters?: readonly string[] | undefined;
  /** Anything else of the model's section of the configuration; goes before the rest. */
  readonly settings?: PlainTree | undefined;
}

export function ownModel(options: OwnModelOptions): ModelConfig {
  const { check, delimiters, stepPrompt, settings = {} } = options;
  const shipped = shippedOf(options);
  const said = given({ check, ...(shipped === undefined ? { delimiters, stepPrompt } : {}) });
  const parts = { engine: engineOf(options), verifier: verifierOf(options), ...embedderOf(options) };
  requireParts(settings, parts);
  const { models } = checkConfig({
    models: [overlay({ name: shipped ?? 'own', ...parts, ...said }, settings)],
  });
  return models[0]!;
}

/** A setting of a part that the model does not have, or of another kind of it, would say nothing. */
function requireParts(settings: PlainTree, parts: PlainTree): void {
  for (const { name, kinds } of modelSettings().values()) {
    const [part = '', key = ''] = name.split('.');
    const said = settings[part] as PlainTree | undefined;
    if (key === '' || said?.[key] === undefined || !isOpened(part)) continue;
    const there = parts[part] as PlainTree | undefined;
    if (there === undefined) raise('bad-setting', `--set ${name} belongs to --${part} URL, which is not given`);
    if (kinds?.includes(String(there.kind)) === false)
      raise('bad-setting', `--set ${name} is for ${part}s of kind ${kinds.join(' or ')}; this one is '${there.kind}'`);
  }
}

/** Parts that are opened; the rest of a model's section is plain settings. */
function isOpened(part: string): boolean {
  return part === 'engine' || part === 'verifier' || part === 'embedder';
}

const defaultModelName = 'sapling';

/** The shipped model that is meant, if one is: servers serve no such names. */
function shippedOf({ model = defaultModelName, engines }: OwnModelOptions): string | undefined {
  return engines === undefined && isShipped(model) ? model : undefined;
}

function engineOf(options: OwnModelOptions): Record<string, unknown> {
  const { model, engines, draft } = options;
  if (engines !== undefined) return { kind: 'openai', urls: engines, ...given({ model }) };
  return { kind: 'llama', ...given({ model, draft }) };
}

function verifierOf(options: OwnModelOptions): Record<string, unknown> {
  const { model = defaultModelName, engines, verifiers, kind, prm, needsVerifier } = options;
  if (verifiers !== undefined) {
    const named = kind === 'judge' ? { kind } : { kind: 'prm', format: kind ?? 'qwen-prm' };
    return { ...named, urls: verifiers };
  }
  const wanted = prm ?? (engines === undefined ? rewardModelOf(model) : 'none');
  if (wanted === 'exact') return { kind: 'exact' };
  if (wanted === 'none') return { kind: needsVerifier ? 'confidence' : 'none' };
  return { kind: 'prm', model: wanted };
}

function embedderOf({ embedder }: OwnModelOptions): Record<string, unknown> {
  return embedder === undefined ? {} : { embedder: { url: embedder } };
}

function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

const { rollouts, tokenBudget, deadlineMs } = requestKnobs;
const unlimited = { rollouts: rollouts.high, tokens: tokenBudget.high, deadlineMs: deadlineMs.high };

/** As much as the bounds of the vocabulary allow; an effort still says how many rollouts. */
export const ownLimits: LimitsConfig = searchLimits.parse({ ...unlimited, rolloutTokens: tokenBudget.high });

/** The plan of one question that a command asks; a command always has a seed, and means it. `others`: what its panel may name. */
export function ownPlan(
  model: PlannedModel,
  question: string,
  wish: Wish,
  seed: number,
  others?: ReadonlyMap<string, PlannedModel>,
): SearchPlan {
  return makePlan({
    question: askedQuestion(question),
    wish: { seed, ...wish },
    speaker: 'flags',
    model,
    others,
    limits: ownLimits,
    maxPriority: 0,
    defaultDeadlineMs: ownLimits.deadlineMs,
    seed,
  });
}
