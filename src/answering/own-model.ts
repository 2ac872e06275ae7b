// What a command asks on this machine: a model of its flags as the configuration would name it, and the limits of a person
// who pays for every token themselves.

import { checkConfig } from '../config/load.ts';
import type { LimitsConfig, ModelConfig } from '../config/schema.ts';
import { efforts, searchLimits } from '../config/search-limits.ts';
import { requestKnobs } from '../config/vocabulary.ts';
import { isShipped, rewardModelOf } from '../engine/llama/shipped-models.ts';
import { makePlan } from './plan.ts';
import { askedQuestion, defaultStepPrompt } from './question-form.ts';
import type { PlannedModel, SearchPlan, Wish } from './search-plan.ts';

export interface OwnModelOptions {
  /** Name of a shipped model, or path of a GGUF file. */
  readonly model: string;
  /** The reward model: a name or file, `exact`, or `none`; the one beside a shipped model where unset. */
  readonly prm?: string | undefined;
  readonly reading?: string | undefined;
  /** Without a reward model, score steps by the generator's own confidence: for programs that need a verifier. */
  readonly needsVerifier?: boolean;
  readonly check?: string | undefined;
  readonly threads?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly kvBytes?: number | undefined;
  readonly budget?: number | undefined;
  readonly stepPrompt?: string | undefined;
  readonly delimiters?: readonly string[] | undefined;
}

export function ownModel(options: OwnModelOptions): ModelConfig {
  const { model, threads, contextTokens, kvBytes, budget, check, delimiters } = options;
  const engine = { kind: 'llama', model, ...given({ threads, contextTokens, kvBytes }) };
  const stepPrompt = isShipped(model) ? '' : (options.stepPrompt ?? defaultStepPrompt);
  const said = given({ budget, check, delimiters: isShipped(model) ? undefined : delimiters });
  const name = isShipped(model) ? model : 'own';
  const { models } = checkConfig({ models: [{ name, engine, verifier: verifierOf(options), stepPrompt, ...said }] });
  return models[0]!;
}

function verifierOf({ model, prm, reading, needsVerifier }: OwnModelOptions): Record<string, unknown> {
  const wanted = prm ?? rewardModelOf(model);
  if (wanted === 'exact') return { kind: 'exact' };
  if (wanted === 'none') return { kind: needsVerifier ? 'confidence' : 'none' };
  return { kind: 'prm', model: wanted, ...given({ reading }) };
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
