// The part of a plan that depends on whether a search is made: its program, its policy, its budgets and the size of its tree; or one generation without search.

import { groupSimilarity } from '../../answer/likeness.ts';
import { optionsGiven } from '../../config/named-options.ts';
import type { LimitsConfig } from '../../config/schema.ts';
import { effortOf } from '../../config/schema.ts';
import type { ScoredBy } from '../../log/verdict.ts';
import { optionsOf } from '../../policy/create.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import { programOf, programOptions, programWith } from '../../program/registry/programs.ts';
import { ownConfidence, readPrompts } from '../prompts.ts';
import { atMost, refuseSetting } from './plan-check.ts';
import { aggregationOf, policyFor } from './planned-policy.ts';
import { type ProgramChoice, programChoice } from './planned-program.ts';
import type { PlannedModel, SearchPlan, Wish } from './search-plan.ts';

/** Ends searches where nobody named one; it accepts only what a checker scores (planned-acceptance.ts). */
const usualThreshold = 0.9;

/** `longest`: most tokens of an answer; `thought`: of thinking, that each path may need. */
export function searchShape(
  wish: Wish,
  model: PlannedModel,
  limits: LimitsConfig,
  chosen: ProgramChoice,
  { longest, thought }: { readonly longest: number; readonly thought: number },
) {
  const { config } = model;
  const { program, options } = programFor(wish, model, chosen);
  const branching = wish.branching ?? config.branching;
  const choose = wish.choose ?? config.choose;
  const bought = boughtBy(wish, limits, thought);
  const paths = program.pathsPerRollout?.(branching, options) ?? 1;
  const { answers = 1 } = wish;
  const { policy, aggregation, options: policyOptions, trouble } = policyFor(wish, model, program, choose);
  const shape = {
    mode: 'search',
    program: program.name,
    programOptions: options,
    prompts: promptsFor(program, chosen, config),
    policy,
    policyOptions,
    scoring: scoringOf(program, model),
    confidence: ownConfidence(config),
    rollouts: rolloutsOf(wish, limits, program, chosen, bought.rollouts, paths),
    threshold: chosen.threshold ?? wish.threshold ?? config.threshold ?? usualThreshold,
    tokenBudget: atMost(wish, 'tokenBudget', limits.tokens, 'limits.tokens') ?? bought.tokens,
    // Several answers are wanted: all samples are drawn.
    price: program.isPriced && answers === 1 ? bought.price : undefined,
    aggregation,
    branching,
    choose,
    maxDepth: wish.maxDepth ?? config.maxDepth,
    delimiters: config.delimiters,
    stops: wish.stop?.length ? wish.stop : undefined,
    stepTokens: Math.min(wish.stepTokens ?? config.stepTokens, wish.maxTokens ?? Number.POSITIVE_INFINITY),
    groupSimilarity: model.embedder && groupSimilarity,
    ...(chosen.whole && { maxDepth: 1, delimiters: [], stepTokens: longest }),
  } satisfies Partial<SearchPlan>;
  return { shape, program, trouble };
}

function promptsFor({ prompts, name }: ProgramDefinition, { whole }: ProgramChoice, config: PlannedModel['config']) {
  return prompts
    ? readPrompts(prompts, config)
    : name === 'auto' && whole
      ? readPrompts(['repair'], config)
      : undefined;
}

function rolloutsOf(
  wish: Wish,
  limits: LimitsConfig,
  program: ProgramDefinition,
  { samples, share = 1 }: ProgramChoice,
  bought: number,
  paths: number,
): number {
  return (
    samples ??
    atMost(wish, 'rollouts', limits.rollouts * paths, 'limits.rollouts') ??
    (program.keepsRollouts ? wish.answers : undefined) ??
    Math.max(wish.answers ?? 1, Math.ceil(bought * share) * paths)
  );
}

function boughtBy({ effort }: Wish, limits: LimitsConfig, thought: number) {
  return effortOf(limits, effort === 'none' ? undefined : effort, thought);
}

/** The chosen program, as rules see it with its options; without a verifier only one that needs none. */
function programFor(wish: Wish, { config, verifier, engine }: PlannedModel, chosen: ProgramChoice) {
  const named = programOf(chosen.name);
  const isVerified = verifier !== undefined || !named.needsVerifier;
  const name = isVerified ? named.name : 'self-consistency';
  // A server that is asked for log probabilities writes a quarter of its tokens a second; both priors solve as much.
  const isDear = engine.capabilities.wholes === true && 'prior' in programOf(name).options;
  const options = programOptions(name, {
    ...(isDear ? { prior: 'draws' } : {}),
    ...chosen.options,
    ...optionsGiven(config, name),
    ...optionsGiven(wish, name),
    ...wish.internal,
  });
  const program = programWith(name, options);
  if (isVerified || wish.program === undefined) return { program, options };
  const what = `is '${named.name}', which needs a verifier; model '${config.name}' has none`;
  return refuseSetting('unsupported', 'program', what);
}

/** Names the judge of the answer: the generator's own confidence is none. */
function scoringOf({ name, needsVerifier, isPriced }: ProgramDefinition, { config, verifier }: PlannedModel): ScoredBy {
  const { kind } = config.verifier;
  if (name === 'greedy') return 'none';
  const isRead = isPriced === true && verifier !== undefined && kind !== 'confidence';
  if (!needsVerifier && !isRead) return 'self-consistency';
  return kind === 'confidence' ? 'confidence' : 'verifier';
}

/** A single step: the engine's text, cut only by its own end, a stop string or the token limit. */
export function directShape(wish: Wish, model: PlannedModel, stepTokens: number) {
  return {
    mode: 'direct',
    program: 'self-consistency',
    programOptions: {},
    policy: 'vanilla',
    policyOptions: optionsOf('vanilla', {}),
    scoring: 'none',
    rollouts: 1,
    threshold: usualThreshold,
    tokenBudget: stepTokens,
    aggregation: aggregationOf(model, {}),
    branching: 1,
    choose: 'best',
    maxDepth: 1,
    // Every server takes four; the told text is cut at all of them.
    delimiters: wish.stop?.slice(0, 4) ?? [],
    stops: wish.stop,
    stepTokens,
  } satisfies Partial<SearchPlan>;
}

/** The search of this model that really runs where a request asks for nothing, not what was configured. */
export function usualSearch(model: PlannedModel) {
  const { choose } = model.config;
  // A question alone never makes it one generation.
  const { program } = programFor({}, model, programChoice(undefined, {}, model)!);
  const { policy, aggregation } = policyFor({}, model, program, choose);
  return { program: program.name, policy, scoring: scoringOf(program, model), aggregation };
}
