// The budget of a search: its rollouts, tokens and money, and by when it ends. What was asked, within the limits of the server, goes before
// what the effort buys. A session leaves its next search no more than the rest of its own budgets, at a price that rises as they are spent.

import type { Effort, LimitsConfig } from '../../config/schema.ts';
import type { Session } from '../../runtime/search/request.ts';
import type { PlannedProgram } from './planned-program.ts';
import { refuseSetting } from './refusal.ts';
import type { PlanRequest, SearchPlan, Wish } from './search-plan.ts';

/** Factors of efforts over `medium`: about four from one to the next. One generation without search thinks as long as medium. */
const scales: Readonly<Record<Effort | 'none', number>> = {
  none: 1,
  minimal: 1 / 8,
  low: 1 / 2,
  medium: 1,
  high: 4,
  xhigh: 16,
  max: 16,
};
/** Most that a price is over medium's. The two samples of minimal are drawn at once: to end it after the first would save nothing. */
const dearest = 4;
/** Least worth of a sample at medium: GSM8K loses half a point against 16 samples of a 1.5B model. Others: over their factor. */
const mediumPrice = 1.3e-4;
/** Generated tokens that an effort buys with each rollout: four steps of 600 tokens on its way. */
const rolloutTokens = 2500;
/** Tokens of thinking on one path that medium buys; each rollout buys them on top of `rolloutTokens`. */
const mediumThinkingTokens = 32_768;

/** `thought`: tokens of thinking that a path may need. The budget grows with them, and the price of a token falls as much. */
export function effortOf(limits: LimitsConfig, name: Effort | 'none' = 'medium', thought = 0) {
  const scale = scales[name];
  const rollouts = Math.min(limits.rollouts, Math.max(1, Math.round(limits.mediumRollouts * scale)));
  return {
    rollouts,
    tokens: Math.min(limits.tokens, rollouts * ((limits.rolloutTokens ?? rolloutTokens) + thought)),
    thinkingTokens: Math.ceil(mediumThinkingTokens * scale),
    price: (mediumPrice * Math.min(dearest, 1 / scale) * rolloutTokens) / (rolloutTokens + thought),
  };
}

/** Most tokens of an answer. */
export function longestAnswer({ wish, limits, model }: PlanRequest): number {
  const { contextTokens } = model.engine.capabilities;
  const room = contextTokens === undefined ? limits.tokens : Math.max(1, Math.floor(contextTokens / 2));
  return Math.min(wish.maxTokens ?? Math.min(4096, room), limits.tokens);
}

type Budget = Pick<SearchPlan, 'rollouts' | 'tokenBudget' | 'price' | 'moneyBudget' | 'session'> &
  Pick<SearchPlan, 'nodes' | 'deadlineMs' | 'priority'>;

/** `planned`: undefined for one generation without search. `answer` and `thought`: most tokens of a path's answer and thinking. */
export function budgetOf(
  request: PlanRequest,
  planned: PlannedProgram | undefined,
  { answer, thought }: { readonly answer: number; readonly thought: number },
): Budget {
  const { wish, limits, session, maxPriority, defaultDeadlineMs } = request;
  const bought = effortOf(limits, wish.effort, thought);
  const left = leftOf(session);
  const asked = atMost(wish, 'tokenBudget', limits.tokens, 'limits.tokens');
  const tokens = planned === undefined ? Math.min(answer + thought, asked ?? any) : (asked ?? bought.tokens);
  const money = Math.min(left.money, wish.moneyBudget ?? any);
  // Several answers are wanted: all samples are drawn.
  const isPriced = planned?.program.isPriced === true && (wish.answers ?? 1) === 1;
  return {
    rollouts: planned === undefined ? 1 : rolloutsOf(wish, limits, planned, bought.rollouts),
    tokenBudget: Math.min(tokens, left.tokens),
    // A turn pays as much more for a token as less is left: the last ones are short before the session ends.
    price: isPriced ? bought.price / left.share : undefined,
    moneyBudget: money === any ? undefined : money,
    session,
    // Of one tree, which ends as exhausted then. A step is hardly shorter than ten tokens, and a node takes about 1 kB.
    nodes: Math.max(16, Math.ceil(limits.tokens / 10)),
    deadlineMs: atMost(wish, 'deadlineMs', limits.deadlineMs, 'limits.deadlineMs') ?? defaultDeadlineMs,
    priority: atMost(wish, 'priority', maxPriority, "the key's priority") ?? Math.min(0, maxPriority),
  };
}

const any = Number.POSITIVE_INFINITY;

/** `share`: of the budget of which less is left. */
function leftOf({ tokens = 0, money = 0, tokenBudget = any, moneyBudget = any }: Partial<Session> = {}) {
  const share = Math.min(1 - tokens / tokenBudget, 1 - money / moneyBudget);
  return { tokens: tokenBudget - tokens, money: moneyBudget - money, share };
}

function rolloutsOf(
  wish: Wish,
  limits: LimitsConfig,
  { program, choice: { samples, share = 1 }, paths }: PlannedProgram,
  bought: number,
): number {
  return (
    samples ??
    atMost(wish, 'rollouts', limits.rollouts * paths, 'limits.rollouts') ??
    (program.keepsRollouts ? wish.answers : undefined) ??
    Math.max(wish.answers ?? 1, Math.ceil(bought * share) * paths)
  );
}

/** Refuses more than the limit; undefined where nothing was asked. */
function atMost(
  wish: Wish,
  name: 'rollouts' | 'tokenBudget' | 'deadlineMs' | 'priority',
  limit: number,
  setting: string,
): number | undefined {
  const asked = wish[name];
  if (asked === undefined || asked <= limit) return asked;
  return refuseSetting('invalid', name, `is ${asked}; at most ${limit} is allowed (${setting})`);
}
