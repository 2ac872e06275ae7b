// What a request asks of a search, decided: every field of the body is honoured, refused by name, or asks for nothing.
// A plan is plain data: it is journalled, and the same plan makes the same search after a restart.

import type { LimitsConfig, ModelConfig } from '../../config/schema.ts';
import type { PolicyName } from '../../policy/policy.ts';
import type { Choice } from '../../program/choice.ts';
import type { ProgramName } from '../../program/registry/programs.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import type { Prompt, Sampling } from '../../tree/step.ts';
import { ApiError, refuse } from '../http/api-error.ts';
import type { ChatBody } from './chat-body.ts';
import { readMessages } from './messages.ts';

export interface SearchPlan {
  readonly model: string;
  readonly prompt: Prompt;
  /** `direct`: one generation without search, as `reasoning_effort: none` asks. */
  readonly mode: 'search' | 'direct';
  readonly program: ProgramName;
  readonly policy: PolicyName;
  readonly scoring: 'verifier' | 'self-consistency' | 'none';
  readonly rollouts: number;
  readonly threshold: number;
  readonly tokenBudget: number;
  readonly nodes: number;
  /** Duration since arrival. */
  readonly deadlineMs: number;
  readonly priority: number;
  readonly seed: number;
  /** The client gave the seed, so it must be obeyed; a server is faster without. */
  readonly repeatable?: true;
  readonly sampling: Sampling;
  readonly aggregation?: Aggregation;
  readonly branching: number;
  readonly choose: Choice;
  readonly maxDepth: number;
  readonly delimiters: readonly string[];
  readonly stepTokens: number;
  /** Most tokens of the text that is given back, cut at the end of a step. */
  readonly maxTokens?: number;
  readonly onFutile: 'answer' | 'refuse' | 'escalate';
  readonly reasoning: 'separate' | 'inline';
  readonly title: string;
}

/** How a model takes a question, where it takes no conversation: saplings want the bare question and answer in lines. */
export interface PromptForm {
  readonly prompt: Prompt;
  readonly delimiters: readonly string[];
  readonly stepTokens: number;
  readonly maxDepth: number;
  readonly temperature: number;
}

/** A reason where the question is not of the model's kind. */
export type FormQuestion = (prompt: Prompt) => PromptForm | { readonly reason: string };

export interface PlanContext {
  readonly form?: FormQuestion | undefined;
  readonly model: ModelConfig;
  readonly limits: LimitsConfig;
  readonly hasVerifier: boolean;
  /** Which programs need a verifier. */
  readonly needsVerifier: (program: ProgramName) => boolean;
  /** The model's policy, or one that goes with the program. */
  readonly policyFor: (program: ProgramName) => PolicyName;
  readonly contextTokens: number | undefined;
  /** The highest priority that the key may ask for. */
  readonly maxPriority: number;
  readonly defaultDeadlineMs: number;
  readonly seed: number;
}

export function makePlan(body: ChatBody, context: PlanContext): SearchPlan {
  const direct = body.reasoning_effort === 'none';
  refuseWhatSearchCannot(body, direct);
  const { model, limits } = context;
  const { prompt: asked, title } = readMessages(body.messages, limits);
  const form = formOf(asked, direct, context);
  const wish = body.coppice ?? {};
  if (direct) refuseSearchWishes(wish);
  const shape = direct ? directShape(body, context) : searchShape(body, context);
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  return {
    model: model.name,
    title,
    ...shape,
    prompt: form.prompt,
    ...(direct ? {} : { delimiters: form.delimiters, maxDepth: form.maxDepth }),
    stepTokens: Math.min(shape.stepTokens, direct ? shape.stepTokens : form.stepTokens),
    nodes: limits.nodes,
    deadlineMs:
      atMost('coppice.deadline_ms', wish.deadline_ms, limits.deadlineMs, 'limits.deadlineMs') ??
      context.defaultDeadlineMs,
    priority:
      atMost('coppice.priority', wish.priority, context.maxPriority, "the key's priority") ??
      Math.min(0, context.maxPriority),
    ...(body.seed === null || body.seed === undefined
      ? { seed: context.seed }
      : { seed: body.seed >>> 0, repeatable: true }),
    sampling: samplingOf(body, model, form.temperature),
    ...(model.aggregation === undefined ? {} : { aggregation: model.aggregation }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    onFutile: checkFutile(wish.on_futile ?? 'answer', model),
    reasoning: wish.reasoning ?? 'separate',
  };
}

/** The model's own form of the question, or the conversation as it came with the operator's advice on steps. */
export function formOf(
  asked: Prompt,
  direct: boolean,
  { model, form }: Pick<PlanContext, 'model' | 'form'>,
): PromptForm {
  const { delimiters, stepTokens, maxDepth, stepPrompt, sampling } = model;
  const general = { delimiters, stepTokens, maxDepth, temperature: sampling.temperature };
  if (form === undefined) return { ...general, prompt: direct ? asked : advise(asked, stepPrompt) };
  const formed = form(asked);
  return 'reason' in formed ? refuse('invalid_value', formed.reason, 'messages') : formed;
}

function advise(prompt: Prompt, advice: string): Prompt {
  if (advice === '' || prompt.kind === 'text') return prompt;
  const [first, ...rest] = prompt.messages;
  if (first?.role !== 'system')
    return { kind: 'chat', messages: [{ role: 'system', content: advice }, ...prompt.messages] };
  return { kind: 'chat', messages: [{ role: 'system', content: `${first.content}\n\n${advice}` }, ...rest] };
}

type Shape = Pick<
  SearchPlan,
  | 'mode'
  | 'program'
  | 'policy'
  | 'scoring'
  | 'rollouts'
  | 'threshold'
  | 'tokenBudget'
  | 'branching'
  | 'choose'
  | 'maxDepth'
  | 'delimiters'
  | 'stepTokens'
>;

function searchShape(body: ChatBody, context: PlanContext): Shape {
  const { model, limits } = context;
  const wish = body.coppice ?? {};
  const effort =
    limits.efforts[body.reasoning_effort === 'none' ? limits.effort : (body.reasoning_effort ?? limits.effort)];
  const program = chooseProgram(wish.program, context);
  if (program === 'greedy' && (body.temperature ?? 0) > 0) {
    refuse('unsupported_parameter', "'temperature' is above 0; the program 'greedy' has none", 'temperature');
  }
  const bought = Math.min(effort.tokens, limits.tokens);
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY;
  return {
    mode: 'search',
    program,
    policy: wish.policy ?? context.policyFor(program),
    scoring: context.needsVerifier(program) ? 'verifier' : 'self-consistency',
    rollouts:
      atMost('coppice.rollouts', wish.rollouts, limits.rollouts, 'limits.rollouts') ??
      Math.min(effort.rollouts, limits.rollouts),
    threshold: wish.threshold ?? model.threshold,
    tokenBudget: atMost('coppice.token_budget', wish.token_budget, limits.tokens, 'limits.tokens') ?? bought,
    branching: model.branching,
    choose: wish.choose ?? model.choose,
    maxDepth: model.maxDepth,
    delimiters: model.delimiters,
    stepTokens: Math.min(model.stepTokens, maxTokens),
  };
}

/** One sample of one step: what the engine says, cut only by its own end, a stop string or the token limit. */
function directShape(body: ChatBody, { model, limits, contextTokens }: PlanContext): Shape {
  const stop = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []);
  const room = contextTokens === undefined ? limits.tokens : Math.max(1, Math.floor(contextTokens / 2));
  const asked = body.max_completion_tokens ?? body.max_tokens ?? Math.min(4096, room);
  const stepTokens = Math.min(asked, limits.tokens);
  return {
    mode: 'direct',
    program: 'self-consistency',
    policy: 'vanilla',
    scoring: 'none',
    rollouts: 1,
    threshold: model.threshold,
    tokenBudget: stepTokens,
    branching: 1,
    choose: 'best',
    maxDepth: 1,
    delimiters: stop,
    stepTokens,
  };
}

function chooseProgram(wish: ProgramName | undefined, context: PlanContext): ProgramName {
  const program = wish ?? context.model.program;
  if (context.hasVerifier || !context.needsVerifier(program)) return program;
  if (wish === undefined) return 'self-consistency';
  return refuse(
    'unsupported_parameter',
    `'coppice.program' is '${wish}', which needs a verifier; model '${context.model.name}' has none`,
    'coppice.program',
  );
}

function checkFutile(choice: SearchPlan['onFutile'], model: ModelConfig): SearchPlan['onFutile'] {
  if (choice !== 'escalate' || model.escalateTo !== undefined) return choice;
  return refuse(
    'unsupported_parameter',
    `'coppice.on_futile' is 'escalate' and model '${model.name}' has no escalateTo`,
    'coppice.on_futile',
  );
}

function samplingOf(body: ChatBody, { sampling }: ModelConfig, temperature: number): Sampling {
  const topP = body.top_p ?? sampling.topP;
  const topK = body.top_k === -1 || body.top_k === 0 ? undefined : (body.top_k ?? sampling.topK);
  const minP = body.min_p ?? sampling.minP;
  if (topP === 0) refuse('invalid_value', "'top_p' is 0; it must be above 0", 'top_p');
  return {
    temperature: body.temperature ?? temperature,
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(minP === undefined ? {} : { minP }),
  };
}

function atMost(name: string, wish: number | undefined, limit: number, setting: string): number | undefined {
  if (wish === undefined || wish <= limit) return wish;
  throw new ApiError('invalid_value', `'${name}' is ${wish}; at most ${limit} is allowed (${setting})`, {
    param: name,
  });
}

function refuseSearchWishes(wish: NonNullable<ChatBody['coppice']>): void {
  for (const name of ['program', 'policy', 'rollouts', 'threshold', 'choose', 'token_budget', 'on_futile'] as const) {
    if (wish[name] !== undefined)
      refuse(
        'unsupported_parameter',
        `'coppice.${name}' has no meaning with reasoning_effort 'none'`,
        `coppice.${name}`,
      );
  }
}

/** Whether a field asks for nothing, by name; what is not here asks for nothing only when it is absent or null. */
const asksNothing: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  logit_bias: (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  response_format: (value) => typeof value === 'object' && (value as { type?: unknown }).type === 'text',
  tools: (value) => Array.isArray(value) && value.length === 0,
  tool_choice: (value) => value === 'none' || value === 'auto',
  parallel_tool_calls: (value) => typeof value === 'boolean',
  functions: (value) => Array.isArray(value) && value.length === 0,
  function_call: (value) => value === 'none' || value === 'auto',
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  audio: () => false,
  prediction: () => false,
  store: (value) => value === false,
  verbosity: (value) => value === 'medium',
  web_search_options: () => false,
};

function refuseWhatSearchCannot(body: ChatBody, direct: boolean): void {
  const how = direct ? 'the engine behind this model' : 'a search';
  for (const [name, isNothing] of Object.entries(asksNothing)) {
    const value = (body as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || value === null || isNothing(value)) continue;
    refuse('unsupported_parameter', `'${name}' cannot be honoured by ${how}`, name);
  }
  if (!direct && body.stop !== undefined && body.stop !== null && body.stop.length > 0) {
    refuse('unsupported_parameter', "'stop' cannot be honoured by a search: steps have their own delimiters", 'stop');
  }
}
