// The one way in: what was asked of a model becomes the plan of a search. HTTP, `ask`, `bench`, `doctor` and `sim` all come
// through here, and what this refuses is refused before anything is journalled. A plan is plain data: every choice has been
// made, so that the same plan makes the same search after a restart. Its rules are made here, once, and handed on beside it; never
// builds anything else, search-request.ts does.

import { defaultsOf } from '../base/knob.ts';
import {
  type CalibratedSearch,
  type CalibrationSection,
  sectionsFor,
  settingsOf,
} from '../calibration/calibration-file.ts';
import { readPrompts } from '../config/prompts.ts';
import type { LimitsConfig, ModelConfig } from '../config/schema.ts';
import { effortOf, mostNodes } from '../config/search-limits.ts';
import { samplingKnobs } from '../config/vocabulary.ts';
import type { ScoredBy } from '../log/verdict.ts';
import { optionsOf } from '../policy/create.ts';
import type { PolicyDefinition } from '../policy/definition.ts';
import { type FittingRules, fittingRules, fittingSettings } from '../policy/fitting.ts';
import { type PolicyOptions, policyKnobs } from '../policy/knobs.ts';
import { policyOf } from '../policy/policies.ts';
import { restingRules } from '../policy/resting-rules.ts';
import type { Choice } from '../program/choice.ts';
import { programOf, programOptions, programWith } from '../program/registry/programs.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { Prompt, Sampling } from '../tree/step.ts';
import {
  atMost,
  checkDirect,
  checkEngine,
  checkEscalation,
  checkMoney,
  checkSearch,
  checkWish,
  inWordsOf,
  type KnownProgram,
  refuseOptions,
  refuseRules,
  refuseSetting,
  testsOf,
} from './plan-check.ts';
import { panelOf } from './planned-panel.ts';
import { wantsAdvice } from './question-form.ts';
import type { PlannedModel, PlannedShape, PlanRequest, SearchPlan, Wish, WishedShape } from './search-plan.ts';
import { carryRules } from './search-request.ts';
import { isKnownToThink, switchedPrompt, thinkingPlan } from './thinking-plan.ts';

/**
 * Reads from top to bottom: what was asked is within its bounds; then the prompt, the program with its policy and rules, the limits,
 * the form of the answer; last, whether all of it goes together.
 */
export function makePlan(request: PlanRequest): SearchPlan {
  return inWordsOf(request.speaker, () => planOf(request));
}

function planOf(request: PlanRequest): SearchPlan {
  const { question, wish, model, limits, maxPriority } = request;
  checkWish(wish, request.speaker);
  const isDirect = wish.effort === 'none';
  const longest = longestAnswer(wish.maxTokens, limits.tokens, model.engine.capabilities.contextTokens);
  const prompt = switchedPrompt(promptFor(question.prompt, wish, model), wish, model);
  const thinking = thinkingPlan(wish, model, limits, prompt);
  const thought = isKnownToThink(model, wish) ? (thinking?.maxTokens ?? 0) : 0;
  const search = isDirect ? undefined : searchShape(wish, model, limits, thought);
  const plan: SearchPlan = {
    model: model.config.name,
    weights: model.weights,
    title: question.title,
    prompt,
    ...panelOf(request, search?.program, (member) => promptFor(question.prompt, wish, member)),
    moneyBudget: wish.moneyBudget,
    ...(search?.shape ?? directShape(wish, model, longest + thought)),
    thinking,
    nodes: mostNodes(limits),
    deadlineMs: atMost(wish, 'deadlineMs', limits.deadlineMs, 'limits.deadlineMs') ?? request.defaultDeadlineMs,
    priority: atMost(wish, 'priority', maxPriority, "the key's priority") ?? Math.min(0, maxPriority),
    ...drawsOf(request, search?.program),
    maxTokens: wish.maxTokens,
    answers: (wish.answers ?? 1) > 1 ? wish.answers : undefined,
    shape: wish.shape && shapeOf(wish.shape, isDirect ? undefined : model.config, longest),
    logprobs: wish.logprobs === true ? true : undefined,
    recordTokens: (wish.recordTokens ?? model.config.recordTokens) === 'on' ? true : undefined,
    tests: testsOf(request),
    idle: request.idle,
    onUnaccepted: isDirect ? 'best' : (wish.onUnaccepted ?? model.config.onUnaccepted),
    reasoning: wish.reasoning ?? 'separate',
  };
  checkEngine(plan, search?.program, request);
  checkMoney(plan, model);
  if (search !== undefined) {
    checkSearch(plan, search.program, request);
    if (search.trouble !== undefined) refuseRules(plan, wish, search.trouble);
    carryRules(plan, search.rules);
  }
  if (plan.onUnaccepted === 'escalate') checkEscalation(request, () => escalatedPlan(plan, request));
  return plan;
}

/** The model's own form of what was asked, or the conversation as it came with the operator's advice on steps. */
function promptFor(prompt: Prompt, wish: Wish, model: PlannedModel): Prompt {
  if (model.form === undefined) return wish.effort === 'none' ? prompt : advise(prompt, adviceFor(prompt, wish, model));
  const formed = model.form(prompt);
  return 'reason' in formed ? refuseSetting('invalid', 'question', `cannot be answered: ${formed.reason}`) : formed;
}

/** The operator's words; where there are none, how to give a short answer, unless the answer is to have a shape of its own. */
function adviceFor(prompt: Prompt, { shape }: Wish, { config }: PlannedModel): string {
  const { stepPrompt, engine } = config;
  if (stepPrompt !== undefined) return stepPrompt;
  if (engine.kind === 'sim' || shape !== undefined || !wantsAdvice(prompt)) return '';
  return readPrompts(['answer'], config).answer ?? '';
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
  const { successor: model = request.model, maxPriority } = request;
  const wish: Wish = { ...request.wish, deadlineMs: undefined, priority, onUnaccepted: 'best' };
  const fixed = { defaultDeadlineMs: deadlineMs, maxPriority: Math.max(priority, maxPriority), seed };
  return makePlan({ ...request, ...fixed, wish, model, successor: undefined });
}

/** What depends on whether a search is made, and on its program and policy. */
type SearchShape = Omit<
  SearchPlan,
  | 'model'
  | 'weights'
  | 'title'
  | 'prompt'
  | 'panel'
  | 'synthesizer'
  | 'writers'
  | 'moneyBudget'
  | 'nodes'
  | 'deadlineMs'
  | 'priority'
  | 'seed'
  | 'repeatable'
  | 'sampling'
  | 'firstGreedy'
  | 'maxTokens'
  | 'thinking'
  | 'answers'
  | 'shape'
  | 'logprobs'
  | 'recordTokens'
  | 'tests'
  | 'idle'
  | 'onUnaccepted'
  | 'reasoning'
>;

/** `thought`: tokens of thinking that each of its paths may need. */
function searchShape(wish: Wish, model: PlannedModel, limits: LimitsConfig, thought: number) {
  const { config } = model;
  const effort = effortOf(limits, wish.effort === 'none' ? undefined : wish.effort);
  const { program, options } = programFor(wish, model);
  const branching = wish.branching ?? config.branching;
  const paths = program.pathsPerRollout?.(branching, options) ?? 1;
  const choose = wish.choose ?? config.choose;
  const rollouts =
    atMost(wish, 'rollouts', limits.rollouts * paths, 'limits.rollouts') ??
    (program.keepsRollouts ? wish.answers : undefined) ??
    effort.rollouts * paths;
  const search = {
    program: program.name,
    options,
    branching,
    choose,
    aggregation: aggregationOf(model, wish, program),
    rollouts,
  };
  const holding = holdingSections(model, wish, search);
  const { aggregation, policy, rules, trouble, ...ruled } = policyFor(wish, model, program, choose, holding);
  const shape: SearchShape = {
    mode: 'search',
    program: program.name,
    programOptions: options,
    prompts: program.prompts && readPrompts(program.prompts, config),
    policy,
    policyOptions: ruled.options,
    ...(holding.length === 0 ? {} : { calibrated: holding.map(({ kind }) => kind) }),
    hazard: ruled.hazard,
    scoring: scoringOf(program, config),
    rollouts,
    threshold: wish.threshold ?? config.threshold,
    tokenBudget:
      atMost(wish, 'tokenBudget', limits.tokens, 'limits.tokens') ??
      Math.min(limits.tokens, effort.tokens + effort.rollouts * thought),
    aggregation,
    branching,
    choose,
    maxDepth: wish.maxDepth ?? config.maxDepth,
    delimiters: config.delimiters,
    stops: wish.stop?.length ? wish.stop : undefined,
    stepTokens: Math.min(wish.stepTokens ?? config.stepTokens, wish.maxTokens ?? Number.POSITIVE_INFINITY),
    groupSimilarity: model.embedder && (wish.groupSimilarity ?? config.groupSimilarity),
  };
  return { shape, program, rules, trouble };
}

interface PlannedProgram {
  /** As rules see it with these options. */
  readonly program: KnownProgram;
  readonly options: SearchPlan['programOptions'];
}

/** The program that was asked for, or the model's own; without a verifier only one that needs none. */
function programFor(wish: Wish, { config, verifier }: PlannedModel): PlannedProgram {
  const named = programOf(wish.program ?? config.program);
  const isVerified = verifier !== undefined || !named.needsVerifier;
  const name = isVerified ? named.name : 'self-consistency';
  const options = programOptions(name, { ...config, ...given(wish), ...wish.internal });
  const program = programWith(name, options);
  if (isVerified || wish.program === undefined) return { program, options };
  const what = `is '${named.name}', which needs a verifier; model '${config.name}' has none`;
  return refuseSetting('unsupported', 'program', what);
}

interface PlannedPolicy extends FittingRules, Pick<SearchPlan, 'aggregation' | 'hazard'> {}

/** What was asked for goes before what was calibrated, and that before what the model has. */
function policyFor(
  wish: Wish,
  model: PlannedModel,
  program: KnownProgram,
  choose: Choice,
  holding: readonly CalibrationSection[],
): PlannedPolicy {
  const { config } = model;
  const aggregation = aggregationOf(model, wish, program);
  const said = {
    ...partsFor(choose, wish.answers),
    ...program.policySettings,
    ...policySettings(wish, config),
    ...settingsOf(holding),
    ...severally(wish),
    ...(program.keepsRollouts ? keepingAll : {}),
  };
  const settings = fittingSettings(said, { ...wish, ...wish.internal }, aggregation);
  const hazard = holding.find((section) => section.kind === 'hazard')?.hazard;
  const wanted = wish.policy ?? config.policy;
  const isAsked = wish.policy !== undefined;
  try {
    return { aggregation, hazard, ...fittingRules({ wanted, isAsked, settings, hazard, program, aggregation }) };
  } catch (error) {
    return refuseOptions(wanted, error);
  }
}

/** No rule ends a search, or a path of it, before its rollouts are there. */
const keepingAll = {
  positiveExit: 'off',
  negativeExit: 'off',
  settledExit: 'off',
  certain: 'off',
  boundPrune: 'off',
  beatPrune: 0,
} as const satisfies Partial<PolicyOptions>;

/** What was calibrated for one answer says nothing about several; what gives up is only for searches that may. */
function holdingSections(
  { calibration, config }: PlannedModel,
  wish: Wish,
  search: CalibratedSearch,
): CalibrationSection[] {
  if (calibration === undefined || (wish.answers ?? 1) > 1) return [];
  const own = policyOf(wish.policy ?? config.policy).settings.settledExit;
  const maySettle = (wish.internal?.settledExit ?? own) === 'on';
  return sectionsFor(calibration, search, { ...wish, ...wish.internal }).filter(
    ({ kind }) => kind !== 'hazard' || maySettle,
  );
}

/** A search for several different answers does not stop because one of them is certain. */
function severally({ answers = 1, certain }: Wish): Partial<PolicyOptions> {
  return answers > 1 && certain === undefined ? { certain: 'off' } : {};
}

/** Who speaks for the answer: the generator's own confidence is no judge of it. */
function scoringOf({ name, needsVerifier }: KnownProgram, { verifier }: ModelConfig): ScoredBy {
  if (name === 'greedy') return 'none';
  if (!needsVerifier) return 'self-consistency';
  return verifier.kind === 'confidence' ? 'confidence' : 'verifier';
}

/** One sample of one step: what the engine says, cut only by its own end, a stop string or the token limit. */
function directShape(wish: Wish, model: PlannedModel, stepTokens: number): SearchShape {
  checkDirect(wish);
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
 * the answer, held to the schema. Without search (no `searched` model) it is the one step that there is, and needs no words before it.
 */
function shapeOf(wished: WishedShape, searched: ModelConfig | undefined, maxTokens: number): PlannedShape {
  const { schema, about, isCall } = wished;
  const prompt = isCall === undefined ? 'shape' : 'call';
  const { [prompt]: words = '' } = searched === undefined ? {} : readPrompts([prompt], searched);
  return { schema, words: words.replace('{schema}', () => JSON.stringify(about)), maxTokens, isCall };
}

/** Tokens of an answer that comes in one step. */
function longestAnswer(asked: number | undefined, limit: number, contextTokens: number | undefined): number {
  const room = contextTokens === undefined ? limit : Math.max(1, Math.floor(contextTokens / 2));
  return Math.min(asked ?? Math.min(4096, room), limit);
}

/** What a search of this model is where a request asks for nothing: what really runs, not what was configured. */
export function usualSearch(model: PlannedModel): Pick<SearchPlan, 'program' | 'policy' | 'scoring' | 'aggregation'> {
  const { program } = programFor({}, model);
  const { policy, aggregation } = policyFor({}, model, program, model.config.choose, []);
  return { program: program.name, policy, scoring: scoringOf(program, model.config), aggregation };
}

/** Which rules of its policy cannot act in such a search; undefined where all can. */
export function usualRest(model: PlannedModel): string | undefined {
  const { choose } = model.config;
  const { policy, aggregation, options } = policyFor({}, model, programFor({}, model).program, choose, []);
  return restingRules({ policy, aggregation, choose, policyOptions: options });
}

function aggregationOf(
  { config, verifier }: PlannedModel,
  wish: Wish,
  program?: Pick<KnownProgram, 'aggregation'>,
): Aggregation {
  return (
    program?.aggregation ?? wish.aggregation ?? config.aggregation ?? verifier?.capabilities.aggregation ?? 'product'
  );
}

/**
 * Where paths vote, one that cannot win still has a vote, and where several answers are wanted it may bring another: what ends such
 * paths unless a request or the operator asked for it would take that away.
 */
function partsFor(choose: Choice, answers = 1): Partial<PolicyOptions> {
  return choose === 'best' && answers === 1 ? {} : { boundPrune: 'off', beatPrune: 0 };
}

/** The knobs of a policy that are set: as asked for, else as configured for the model. */
export function policySettings(wish: Wish, config: ModelConfig): Partial<PolicyOptions> {
  const told: Readonly<Record<string, unknown>> = { ...config, ...given(wish), ...wish.internal };
  const said = Object.keys(policyKnobs).flatMap((name) => (told[name] === undefined ? [] : [[name, told[name]]]));
  return Object.fromEntries(said) as Partial<PolicyOptions>;
}

/**
 * Of a policy that is not in the list: its own settings, with what the model's say instead. A setting at its default says nothing: a
 * model that no file told otherwise has `certain: off` too, and must not take the policy's rule away.
 */
export function ownSettings({ settings }: PolicyDefinition, config: ModelConfig): Partial<PolicyOptions> {
  const defaults: Readonly<Record<string, unknown>> = defaultsOf(policyKnobs);
  const said = Object.entries(policySettings({}, config)).filter(([name, value]) => value !== defaults[name]);
  return { ...settings, ...Object.fromEntries(said) };
}

/** Of a search at temperature 0 that names no seed. */
const coldSeed = 0;

/**
 * At temperature 0 siblings would all be one step, and a tree one path. The first path is greedy then, and the others are drawn at the
 * usual temperature with a fixed seed: the tree grows, and the same question gives the same answer.
 */
function drawsOf(
  { wish, model: { config }, seed }: PlanRequest,
  program: KnownProgram | undefined,
): Pick<SearchPlan, 'seed' | 'repeatable' | 'sampling' | 'firstGreedy'> {
  const sampling = samplingOf(wish, config);
  const isCold = sampling.temperature === 0 && program?.takesTemperature === true;
  if (!isCold) return { seed: wish.seed ?? seed, repeatable: wish.seed !== undefined, sampling };
  const temperature = config.sampling.temperature || samplingKnobs.temperature.default;
  return { seed: wish.seed ?? coldSeed, repeatable: true, sampling: { ...sampling, temperature }, firstGreedy: true };
}

/** A `topK` of 0 is off. Draws are keyed by what is here: what is off is left out. */
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
