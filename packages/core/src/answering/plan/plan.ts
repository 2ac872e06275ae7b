// The one way in: what was asked of a model becomes the plan of a search. HTTP, `ask`, `bench`, `doctor` and `sim` all come
// through here, and what this refuses is refused before anything is journalled. A plan is plain data: every choice has been
// made, so that the same plan makes the same search after a restart. Builds nothing; search-request.ts does.

import { mostNodes } from '../../config/schema.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import {
  atMost,
  checkDirect,
  checkEngine,
  checkEscalation,
  checkMoney,
  checkSearch,
  checkValues,
  nameSetting,
  refuseRules,
  testsOf,
} from './plan-check.ts';
import { acceptanceOf } from './planned-acceptance.ts';
import { drawsOf, panelOf } from './planned-draws.ts';
import { programChoice, turnModel } from './planned-program.ts';
import { hasMark, promptFor, shapeOf } from './planned-prompt.ts';
import { directShape, searchShape } from './planned-search.ts';
import { left, withinSession } from './planned-session.ts';
import type { PlanRequest, SearchPlan, Wish } from './search-plan.ts';
import { isKnownToThink, switchedPrompt, thinkingPlan } from './thinking-plan.ts';

/**
 * Reads from top to bottom: what was asked is within its bounds; then the prompt, the program with its policy and rules, the limits,
 * the form of the answer; last, whether all of it goes together.
 */
export function makePlan(request: PlanRequest): SearchPlan {
  const { question, model } = request;
  const asked = agentTurn(question.prompt) ? { ...request, model: turnModel(model) } : request;
  return nameSetting(request.speaker, () => planOf(asked));
}

function planOf(request: PlanRequest): SearchPlan {
  const { question, wish, model, limits, maxPriority, session } = request;
  checkValues(wish);
  if (wish.effort === 'none') checkDirect(wish);
  const chosen = programChoice(question.prompt, wish, model);
  const isDirect = chosen === undefined;
  const longest = longestAnswer(wish.maxTokens, limits.tokens, model.engine.capabilities.contextTokens);
  const prompt = switchedPrompt(promptFor(question.prompt, wish, model), wish, model);
  const thinking = thinkingPlan(wish, model, limits, prompt);
  const asked = atMost(wish, 'tokenBudget', limits.tokens, 'limits.tokens') ?? Number.POSITIVE_INFINITY;
  const budget = Math.min(asked, left(session).tokens);
  const thought = isKnownToThink(model, wish) ? (thinking?.maxTokens ?? 0) : 0;
  const isTurn = agentTurn(prompt) !== undefined;
  const search =
    chosen && searchShape(wish, model, limits, chosen, { longest: isTurn ? longest + thought : longest, thought });
  const plan: SearchPlan = withinSession(session, {
    model: model.config.name,
    weights: model.weights,
    title: question.title,
    prompt,
    ...panelOf(request, search?.program, (member) => promptFor(question.prompt, wish, member)),
    moneyBudget: wish.moneyBudget,
    ...(search?.shape ?? directShape(wish, model, Math.min(longest + thought, budget))),
    accepts: search === undefined ? undefined : acceptanceOf(request),
    // A turn tells its thinking apart by itself.
    thinking: isTurn ? undefined : thinking,
    nodes: mostNodes(limits),
    deadlineMs: atMost(wish, 'deadlineMs', limits.deadlineMs, 'limits.deadlineMs') ?? request.defaultDeadlineMs,
    priority: atMost(wish, 'priority', maxPriority, "the key's priority") ?? Math.min(0, maxPriority),
    ...drawsOf(request, search?.program),
    maxTokens: wish.maxTokens,
    answers: (wish.answers ?? 1) > 1 ? wish.answers : undefined,
    shape: wish.shape && shapeOf(wish.shape, isDirect ? undefined : model.config, longest),
    logprobs: wish.logprobs === true ? true : undefined,
    recordTokens: (wish.recordTokens ?? model.config.recordTokens) === 'on' ? true : undefined,
    marked: isDirect ? undefined : hasMark(question.prompt, model),
    tests: testsOf(request),
    idle: request.idle,
    onUnaccepted: isDirect ? 'best' : (wish.onUnaccepted ?? model.config.onUnaccepted),
    reasoning: wish.reasoning ?? 'separate',
  });
  checkEngine(plan, search?.program, request);
  checkMoney(plan, model);
  if (search !== undefined) {
    checkSearch(plan, search.program, request);
    if (search.trouble !== undefined) refuseRules(plan, wish, search.trouble);
  }
  if (plan.onUnaccepted === 'escalate') checkEscalation(request, () => escalatedPlan(plan, request));
  return plan;
}

/**
 * The same question, asked anew of the model that takes over: its form, its aggregation, its sampling, its program and
 * policy where the client named none. What the first plan fixed for the client stays: deadline, priority and seed.
 */
export function escalatedPlan({ deadlineMs, priority, seed, session }: SearchPlan, request: PlanRequest): SearchPlan {
  const { successor: model = request.model, maxPriority } = request;
  const wish: Wish = { ...request.wish, deadlineMs: undefined, priority, onUnaccepted: 'best' };
  const fixed = { defaultDeadlineMs: deadlineMs, maxPriority: Math.max(priority, maxPriority), seed, session };
  return makePlan({ ...request, ...fixed, wish, model, successor: undefined });
}

function longestAnswer(asked: number | undefined, limit: number, contextTokens: number | undefined): number {
  const room = contextTokens === undefined ? limit : Math.max(1, Math.floor(contextTokens / 2));
  return Math.min(asked ?? Math.min(4096, room), limit);
}
