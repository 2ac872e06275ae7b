// The one way in: what was asked of a model becomes the plan of a search. HTTP, `ask`, `bench`, `doctor` and `sim` all come
// through here, and what this refuses is refused before anything is journalled. A plan is plain data: every choice has been
// made, so that the same plan makes the same search after a restart. Never builds anything; search-request.ts does, once.

import {
  type CalibratedSearch,
  type CalibrationSection,
  sectionsFor,
  settingsOf,
} from '../calibration/calibration-file.ts';
import { readPrompts } from '../config/prompts.ts';
import type { ModelConfig } from '../config/schema.ts';
import { effortOf, mostNodes } from '../config/search-limits.ts';
import type { ScoredBy } from '../log/verdict.ts';
import { optionsOf } from '../policy/create.ts';
import { fittingPolicy, fittingSettings } from '../policy/fitting.ts';
import { type PolicyOptions, policyKnobs } from '../policy/knobs.ts';
import { policyOf } from '../policy/policies.ts';
import type { Choice } from '../program/choice.ts';
import { type ProgramName, programOf, programOptions, programWith } from '../program/registry/programs.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { Prompt, Sampling } from '../tree/step.ts';
import {
  atMost,
  checkDirect,
  checkEscalation,
  checkPlan,
  checkWish,
  chooseProgram,
  optionsFor,
  refuseSetting,
} from './plan-check.ts';
import type { PlannedModel, PlannedShape, PlanRequest, SearchPlan, Wish, WishedShape } from './search-plan.ts';

export function makePlan(request: PlanRequest): SearchPlan {
  const { question, wish, speaker, model, limits, maxPriority } = request;
  checkWish(wish, speaker);
  const direct = wish.effort === 'none';
  const plan: SearchPlan = {
    model: model.config.name,
    title: question.title,
    prompt: promptFor(request),
    ...(direct ? directShape(request) : searchShape(request)),
    nodes: mostNodes(limits),
    deadlineMs: atMost(request, 'deadlineMs', limits.deadlineMs, 'limits.deadlineMs') ?? request.defaultDeadlineMs,
    priority: atMost(request, 'priority', maxPriority, "the key's priority") ?? Math.min(0, maxPriority),
    seed: wish.seed ?? request.seed,
    repeatable: wish.seed !== undefined,
    sampling: samplingOf(wish, model.config),
    ...(wish.maxTokens === undefined ? {} : { maxTokens: wish.maxTokens }),
    ...((wish.answers ?? 1) > 1 ? { answers: wish.answers! } : {}),
    ...(wish.shape === undefined ? {} : { shape: shapeOf(wish.shape, request) }),
    ...(wish.logprobs === true ? { logprobs: true as const } : {}),
    onFutile: wish.onFutile ?? 'answer',
    reasoning: wish.reasoning ?? 'separate',
  };
  checkPlan(plan, request);
  if (plan.onFutile === 'escalate') checkEscalation(request, () => escalatedPlan(plan, request));
  return plan;
}

/** The model's own form of what was asked, or the conversation as it came with the operator's advice on steps. */
function promptFor({ question: { prompt }, wish, model, speaker }: PlanRequest): Prompt {
  if (model.form === undefined) return wish.effort === 'none' ? prompt : advise(prompt, model.config.stepPrompt);
  const formed = model.form(prompt);
  return 'reason' in formed ? refuseSetting('invalid', 'question', speaker, `cannot be put: ${formed.reason}`) : formed;
}

function advise(prompt: Prompt, advice: string): Prompt {
  if (advice === '' || prompt.kind === 'text') return prompt;
  const [first, ...rest] = prompt.messages;
  if (first?.role !== 'system')
    return { kind: 'chat', messages: [{ role: 'system', content: advice }, ...prompt.messages] };
  return { kind: 'chat', messages: [{ role: 'system', content: `${first.content}\n\n${advice}` }, ...rest] };
}

/**
 * The same question, asked anew of the model that takes over: its form, its aggregation, its sampling, its program and
 * policy where the client named none. What the first plan fixed for the client stays: deadline, priority and seed.
 */
export function escalatedPlan({ deadlineMs, priority, seed }: SearchPlan, request: PlanRequest): SearchPlan {
  const { successor = request.model, ...rest } = request;
  const wish: Wish = { ...request.wish, deadlineMs: undefined, priority: undefined, onFutile: 'answer' };
  return { ...makePlan({ ...rest, wish, model: successor }), deadlineMs, priority, seed };
}

type SearchShape = Pick<
  SearchPlan,
  | 'mode'
  | 'program'
  | 'programOptions'
  | 'prompts'
  | 'policy'
  | 'policyOptions'
  | 'calibrated'
  | 'hazard'
  | 'scoring'
  | 'rollouts'
  | 'threshold'
  | 'tokenBudget'
  | 'aggregation'
  | 'branching'
  | 'choose'
  | 'maxDepth'
  | 'delimiters'
  | 'stops'
  | 'stepTokens'
  | 'groupSimilarity'
>;

function searchShape(request: PlanRequest): SearchShape {
  const { wish, limits, model } = request;
  const { config } = model;
  const effort = effortOf(limits, wish.effort === 'none' ? undefined : wish.effort);
  const program = chooseProgram(request);
  const options = programOptions(program, { ...config, ...given(wish), ...wish.internal });
  const branching = wish.branching ?? config.branching;
  const paths = programOf(program).pathsPerRollout?.(branching, options) ?? 1;
  const aggregation = aggregationOf(model, wish);
  const choose = wish.choose ?? config.choose;
  const rollouts = atMost(request, 'rollouts', limits.rollouts * paths, 'limits.rollouts') ?? effort.rollouts * paths;
  const holding = holdingSections(request, { program, options, branching, choose, rollouts });
  const asked = {
    ...partsFor(choose, wish.answers),
    ...policySettings(wish, config),
    ...settingsOf(holding),
    ...severally(wish),
  };
  const settings = fittingSettings(asked, { ...wish, ...wish.internal }, aggregation);
  optionsFor(wish.policy ?? config.policy, settings, request);
  const policy = wish.policy ?? fittingPolicy(config.policy, programWith(program, options), aggregation, settings);
  const { delimiters } = config;
  const policyOptions = optionsFor(policy, settings, request);
  return {
    mode: 'search',
    program,
    programOptions: options,
    ...promptsOf(program, config),
    policy,
    policyOptions,
    ...calibratedBy(holding),
    scoring: scoringOf(program, config),
    rollouts,
    threshold: wish.threshold ?? config.threshold,
    tokenBudget: atMost(request, 'tokenBudget', limits.tokens, 'limits.tokens') ?? effort.tokens,
    aggregation,
    branching,
    choose,
    maxDepth: wish.maxDepth ?? config.maxDepth,
    delimiters,
    ...(wish.stop?.length ? { stops: wish.stop } : {}),
    stepTokens: Math.min(wish.stepTokens ?? config.stepTokens, wish.maxTokens ?? Number.POSITIVE_INFINITY),
    ...(model.embedder === undefined ? {} : { groupSimilarity: wish.groupSimilarity ?? config.groupSimilarity }),
  };
}

/** What was calibrated for one answer says nothing about several; what gives up is only for searches that may. */
function holdingSections({ model, wish }: PlanRequest, search: CalibratedSearch): CalibrationSection[] {
  const { calibration, config } = model;
  if (calibration === undefined || (wish.answers ?? 1) > 1) return [];
  const own = policyOf(wish.policy ?? config.policy).settings.settledExit;
  const maySettle = (wish.internal?.settledExit ?? own) === 'on';
  return sectionsFor(calibration, search, { ...wish, ...wish.internal }).filter(
    ({ kind }) => kind !== 'hazard' || maySettle,
  );
}

function calibratedBy(holding: readonly CalibrationSection[]): Pick<SearchShape, 'calibrated' | 'hazard'> {
  if (holding.length === 0) return {};
  const hazard = holding.find((section) => section.kind === 'hazard')?.hazard;
  return { calibrated: holding.map(({ kind }) => kind), ...(hazard && { hazard }) };
}

/** Whoever wants several different answers does not want to stop because one of them is certain. */
function severally({ answers = 1, certain }: Wish): Partial<PolicyOptions> {
  return answers > 1 && certain === undefined ? { certain: 'off' } : {};
}

function promptsOf(program: ProgramName, config: ModelConfig): Pick<SearchShape, 'prompts'> {
  const { prompts } = programOf(program);
  return prompts === undefined ? {} : { prompts: readPrompts(prompts, config) };
}

/** Who speaks for the answer: the generator's own confidence is no judge of it. */
function scoringOf(program: ProgramName, { verifier }: ModelConfig): ScoredBy {
  if (program === 'greedy') return 'none';
  if (!programOf(program).needsVerifier) return 'self-consistency';
  return verifier.kind === 'confidence' ? 'confidence' : 'verifier';
}

/** One sample of one step: what the engine says, cut only by its own end, a stop string or the token limit. */
function directShape(request: PlanRequest): SearchShape {
  const { wish, model } = request;
  checkDirect(request);
  const stepTokens = longestAnswer(request);
  return {
    mode: 'direct',
    program: 'self-consistency',
    programOptions: {},
    policy: 'vanilla',
    policyOptions: optionsOf('vanilla', {}),
    scoring: 'none',
    rollouts: 1,
    threshold: model.config.threshold,
    tokenBudget: stepTokens,
    aggregation: aggregationOf(model, {}),
    branching: 1,
    choose: 'best',
    maxDepth: 1,
    delimiters: wish.stop ?? [],
    stepTokens,
  };
}

/**
 * A path is searched in the model's own words; where the model has ended its answer, or a path has one step left, the next step is
 * the answer, held to the schema. Without search it is the one step that there is, and needs no words before it.
 */
function shapeOf({ schema, about, isCall }: WishedShape, request: PlanRequest): PlannedShape {
  const { wish, model } = request;
  const prompt = isCall === undefined ? 'shape' : 'call';
  const { [prompt]: words = '' } = wish.effort === 'none' ? {} : readPrompts([prompt], model.config);
  const told = words.replace('{schema}', () => JSON.stringify(about));
  return { schema, words: told, maxTokens: longestAnswer(request), ...(isCall === undefined ? {} : { isCall }) };
}

/** Tokens of an answer that comes in one step. */
function longestAnswer({ wish, limits, model }: PlanRequest): number {
  const { contextTokens } = model.engine.capabilities;
  const room = contextTokens === undefined ? limits.tokens : Math.max(1, Math.floor(contextTokens / 2));
  return Math.min(wish.maxTokens ?? Math.min(4096, room), limits.tokens);
}

/** What a search of this model is where nobody asks for anything: what really runs, not what was configured. */
export function usualSearch(model: PlannedModel): Pick<SearchPlan, 'program' | 'policy' | 'scoring'> {
  const program = chooseProgram({ wish: {}, speaker: 'body', model });
  const { policy } = model.config;
  const aggregation = aggregationOf(model, {});
  const settings = fittingSettings(policySettings({}, model.config), {}, aggregation);
  return {
    program,
    policy: fittingPolicy(policy, programOf(program), aggregation, settings),
    scoring: scoringOf(program, model.config),
  };
}

function aggregationOf({ config, verifier }: PlannedModel, wish: Wish): Aggregation {
  return wish.aggregation ?? config.aggregation ?? verifier?.capabilities.aggregation ?? 'product';
}

/**
 * Where paths vote, one that cannot win still has a vote, and where several answers are wanted it may bring another: what ends such
 * paths unless somebody asked for it would take that away.
 */
function partsFor(choose: Choice, answers = 1): Partial<PolicyOptions> {
  return choose === 'best' && answers === 1 ? {} : { boundPrune: 'off', beatPrune: 0 };
}

/** The knobs of a policy that somebody has set: as asked for, else as configured for the model. */
export function policySettings(wish: Wish, config: ModelConfig): Partial<PolicyOptions> {
  const told: Readonly<Record<string, unknown>> = { ...config, ...given(wish), ...wish.internal };
  const said = Object.keys(policyKnobs).flatMap((name) => (told[name] === undefined ? [] : [[name, told[name]]]));
  return Object.fromEntries(said) as Partial<PolicyOptions>;
}

/** A `topK` of 0 is off. */
function samplingOf(wish: Wish, { sampling }: ModelConfig): Sampling {
  const { topK, minP, topP } = { ...sampling, ...given(wish) };
  return {
    temperature: wish.temperature ?? sampling.temperature,
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined || topK === 0 ? {} : { topK }),
    ...(minP === undefined ? {} : { minP }),
  };
}

/** Without the members that are there and say nothing. */
function given(wish: Wish): Wish {
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
}
