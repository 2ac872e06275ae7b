// What a plan says of its search beside budget and policy: program, size of the tree, and the score at which it ends; or one generation without search.

import { groupSimilarity } from '../../answer/likeness.ts';
import type { Judged, ScoreAcceptance } from '../../log/verdict.ts';
import { optionsOf } from '../../policy/create.ts';
import { weighedAnswer } from '../../program/choice.ts';
import { isComplete, type Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import { ownConfidence, readPrompts } from '../prompts.ts';
import { decidingTask, lastAsked } from '../question.ts';
import { aggregationOf, type PlannedPolicy, policyFor } from './planned-policy.ts';
import { type PlannedProgram, programChoice, programFor } from './planned-program.ts';
import type { PlannedModel, PlanRequest, SearchPlan } from './search-plan.ts';

/** Ends searches where no request and no model names one; it accepts only what a checker scores. */
const usualThreshold = 0.9;

/** `answer`: most tokens of an answer. */
export function searchShape(
  request: PlanRequest,
  planned: PlannedProgram,
  { policy, policyOptions, aggregation }: PlannedPolicy,
  answer: number,
) {
  const { wish, model } = request;
  const { config } = model;
  const { program, options, scoring, choice, choose, branching } = planned;
  const stepTokens = Math.min(wish.stepTokens ?? config.stepTokens, wish.maxTokens ?? Number.POSITIVE_INFINITY);
  return {
    mode: 'search',
    program: program.name,
    programOptions: options,
    prompts: promptsFor(planned, config),
    policy,
    policyOptions,
    scoring,
    confidence: ownConfidence(config),
    threshold: choice.threshold ?? wish.threshold ?? config.threshold ?? usualThreshold,
    accepts: acceptanceOf(request),
    aggregation,
    branching,
    choose,
    maxDepth: choice.whole ? 1 : (wish.maxDepth ?? config.maxDepth),
    delimiters: choice.whole ? [] : config.delimiters,
    stepTokens: choice.whole ? answer : stepTokens,
    stops: wish.stop?.length ? wish.stop : undefined,
    groupSimilarity: model.embedder && groupSimilarity,
  } satisfies Partial<SearchPlan>;
}

/**
 * Whether a score at the threshold accepts an answer. It does where the score is a checker's word, or where a request or the operator named the
 * threshold: a reward model's score of 0.9 means another thing for every model and every kind of question.
 */
function acceptanceOf({ wish, model: { config, verifier }, question }: PlanRequest): ScoreAcceptance {
  if (verifier?.capabilities.exact || wish.tests !== undefined) return 'checked';
  const isDecided = config.check === 'lines' && decidingTask(lastAsked(question.prompt)) !== undefined;
  if (isDecided) return 'checked';
  return (wish.threshold ?? config.threshold) === undefined ? 'never' : 'named';
}

/** Texts of the program; a turn that means nothing is repaired under `auto`. */
function promptsFor({ program: { prompts, name }, choice }: PlannedProgram, config: PlannedModel['config']) {
  const names = prompts ?? (name === 'auto' && choice.whole ? ['repair'] : undefined);
  return names && readPrompts(names, config);
}

/** A single step: the engine's text, cut only by its own end, a stop string or the token limit. */
export function directShape({ wish, model }: PlanRequest, stepTokens: number) {
  return {
    mode: 'direct',
    program: 'self-consistency',
    programOptions: {},
    policy: 'vanilla',
    policyOptions: optionsOf('vanilla', {}),
    scoring: 'none',
    threshold: usualThreshold,
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
  // A question alone never makes it one generation.
  const planned = programFor({}, model, programChoice(undefined, {}, model)!);
  const { policy, aggregation } = policyFor({}, model, planned);
  return { program: planned.program.name, policy, scoring: planned.scoring, aggregation };
}

/** Null where no score ends the search or accepts an answer. */
export function actingThreshold(plan: Pick<SearchPlan, 'threshold' | 'accepts' | 'scoring' | 'policyOptions'>) {
  if (plan.accepts !== 'never') return plan.threshold;
  return plan.policyOptions.positiveExit === 'on' && plan.scoring !== 'none' ? plan.threshold : null;
}

/** An answer beside the first, as the verdict on it reads it. */
export function judgedLeaf(plan: SearchPlan, tree: Tree, leaf: Node): Judged {
  const { scoring, threshold, accepts, marked, confidence } = plan;
  const { id: node, answer, reward } = leaf;
  const unsaid = marked && answer === undefined ? { unsaid: marked } : {};
  const score = reward === undefined ? undefined : leaf.score;
  const said = { node, answer, complete: isComplete(leaf), score, ...unsaid };
  return { answer: weighedAnswer(tree, said, scoring === 'verifier', confidence), scoring, threshold, accepts };
}
