// The one way in: what was asked of a model becomes the plan of a search. HTTP, `ask`, `bench`, `doctor` and `sim` all come
// through here, and what this refuses is refused before anything is journalled. A plan is plain data: every choice has been
// made, so that the same plan makes the same search after a restart. Builds nothing; search-request.ts does.

import { agentTurn } from '../../tree/readings/agent-turn.ts';
import { checkAsked, checkEscalation, checkPlan } from './plan-check.ts';
import { budgetOf, longestAnswer } from './planned-budget.ts';
import { drawsOf, panelOf } from './planned-draws.ts';
import { policyFor } from './planned-policy.ts';
import { programChoice, programFor } from './planned-program.ts';
import { hasMark, promptFor, shapeOf } from './planned-prompt.ts';
import { directShape, searchShape } from './planned-search.ts';
import { isKnownToThink, switchedPrompt, thinkingPlan } from './planned-thinking.ts';
import { nameSetting } from './refusal.ts';
import type { PlannedModel, PlanRequest, SearchPlan, Wish } from './search-plan.ts';

export function makePlan(request: PlanRequest): SearchPlan {
  const isTurn = agentTurn(request.question.prompt) !== undefined;
  const model = isTurn ? turnModel(request.model) : request.model;
  return nameSetting(request.speaker, () => planOf({ ...request, model }, isTurn));
}

/** True of a verifier that reads the words of an answer, or runs its code. */
function readsNoCall({ kind, format, language }: PlannedModel['config']['verifier']): boolean {
  return kind === 'prm' ? format !== 'http' : language !== undefined || ['judge', 'confidence', 'exact'].includes(kind);
}

/** The model as it draws turns: only a command or a scorer of its operator's judges them, and they are compared by what they call. */
function turnModel(model: PlannedModel): PlannedModel {
  const { config, engine, verifier, weights } = model;
  const own = { ...config, check: 'none', program: 'auto', recordTokens: 'off' } as const;
  if (!readsNoCall(config.verifier)) return { config: own, engine, verifier, weights };
  return { config: { ...own, verifier: { kind: 'none' } }, engine, weights };
}

/**
 * Reads from top to bottom: what was asked is within its bounds; then the prompt, the program, its budget, policy and rules, the form of the
 * answer; last, whether all of it goes together.
 */
function planOf(request: PlanRequest, isTurn: boolean): SearchPlan {
  const { question, wish, model, limits } = request;
  checkAsked(wish);
  const prompt = switchedPrompt(promptFor(question.prompt, wish, model), wish, model);
  const thinking = thinkingPlan(wish, model, limits, prompt);
  const thought = isKnownToThink(model, wish) ? (thinking?.maxTokens ?? 0) : 0;
  const choice = programChoice(question.prompt, wish, model);
  const planned = choice && programFor(wish, model, choice);
  const answer = longestAnswer(request);
  const budget = budgetOf(request, planned, { answer, thought });
  const rules = planned && policyFor(wish, model, planned);
  const plan: SearchPlan = {
    model: model.config.name,
    weights: model.weights,
    title: question.title,
    prompt,
    // A turn tells its thinking apart by itself.
    thinking: isTurn ? undefined : thinking,
    ...budget,
    ...(planned && rules
      ? searchShape(request, planned, rules, isTurn ? answer + thought : answer)
      : directShape(request, budget.tokenBudget)),
    ...drawsOf(request, planned?.program),
    ...panelOf(request, planned?.program, (member) => promptFor(question.prompt, wish, member)),
    answers: (wish.answers ?? 1) > 1 ? wish.answers : undefined,
    maxTokens: wish.maxTokens,
    shape: wish.shape && shapeOf(wish.shape, planned && model.config, answer),
    marked: planned && hasMark(question.prompt, model),
    tests: wish.tests,
    onUnaccepted: planned === undefined ? 'best' : (wish.onUnaccepted ?? model.config.onUnaccepted),
    reasoning: wish.reasoning ?? 'separate',
    logprobs: wish.logprobs === true ? true : undefined,
    recordTokens: (wish.recordTokens ?? model.config.recordTokens) === 'on' ? true : undefined,
    idle: request.idle,
  };
  checkPlan(plan, request, planned?.program, rules?.trouble);
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
