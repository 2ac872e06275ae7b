// The request for one search, and its result.

import type { OddsLine } from '../../base/arithmetic.ts';
import { raise } from '../../base/fault.ts';
import type { JsonSchema, SessionRoute } from '../../engine/engine.ts';
import type { Limits } from '../../exit/exit.ts';
import type { Answer, Cost, Exit, Price } from '../../log/end.ts';
import type { ScoredBy } from '../../log/verdict.ts';
import type { Rules } from '../../policy/policy.ts';
import type { Program } from '../../program/program.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import type { ThinkingTags } from '../../tree/readings/thinking.ts';
import type { Prompt } from '../../tree/step.ts';

/** Plain data that the plan fixes and the runtime reads, journalled with the plan. */
export interface SearchFacts {
  readonly prompt: Prompt;
  readonly model?: string | undefined;
  /** Models that draws may name, and the own one if its tokens have a price. */
  readonly writers?: Readonly<Record<string, Writer>> | undefined;
  /** By default the verifier's own, or `product` without one. */
  readonly aggregation?: Aggregation;
  readonly seed: number;
  /** True by default. Servers are faster without seeds. */
  readonly repeatable?: boolean;
  /** The first path takes the likeliest token at every step. */
  readonly firstGreedy?: boolean | undefined;
  readonly priority: number;
  /** The conversation that it is a turn of. */
  readonly session?: Session | undefined;
  /** No client waits for it: it runs on idle strands. */
  readonly idle?: boolean | undefined;
  readonly delimiters: readonly string[];
  readonly stepTokens: number;
  readonly logprobs?: boolean | undefined;
  /** Steps are logged with the token ids that the model read and wrote. */
  readonly recordTokens?: boolean | undefined;
  /** Least cosine of two open answers that mean the same; unset groups none. */
  readonly groupSimilarity?: number | undefined;
  readonly thinking?: ThinkingPlan | undefined;
  readonly tests?: string | undefined;
  /** A verifier's scores speak for an answer, others say nothing of it. */
  readonly scoring?: ScoredBy | undefined;
  /** By labels of the operator's, over the log odds that ship. */
  readonly confidence?: OddsLine | undefined;
  /** A path without a readable answer is not accepted. */
  readonly marked?: boolean | undefined;
}

/** A session as it was when this search of it was accepted: what its earlier ones took, and what they may cost together. */
export interface Session extends SessionRoute {
  readonly id: string;
  readonly sinceMs: number;
  readonly turns: number;
  /** Turns that had not ended: the sums here lack the rest of their cost. */
  readonly open?: number | undefined;
  readonly seconds: number;
  /** Generated, as `tokenBudget` counts them. */
  readonly tokens: number;
  readonly money: number;
  readonly tokenBudget?: number | undefined;
  readonly moneyBudget?: number | undefined;
}

export interface SearchRequest extends SearchFacts {
  readonly id: string;
  readonly program: Program;
  readonly rules: Rules;
  readonly limits: Limits;
  readonly shape?: AnswerShape | undefined;
  /** The answer of a finished path; undefined if it has none. Must be pure. */
  readonly extract: (pathText: string) => string | undefined;
}

/** A model that thinks before it answers. Plain data, journalled with the plan. */
export interface ThinkingPlan extends ThinkingTags {
  readonly opened: boolean;
  readonly delimiters: readonly string[];
  readonly stepTokens: number;
  /** Thinking tokens after which the runtime ends the thinking and asks for the answer. */
  readonly maxTokens: number;
  readonly lastWords: string;
}

export interface Writer {
  readonly prompt?: Prompt | undefined;
  readonly price?: Price | undefined;
}

/** A JSON answer. It is the last step of its path: below the step that ended the answer in prose, or the last one that fits. */
export interface AnswerShape {
  readonly schema: JsonSchema;
  readonly words: string;
  readonly maxTokens: number;
  readonly maxDepth: number;
}

export interface SearchResult {
  readonly id: string;
  readonly exit: Exit;
  readonly answer: Answer | undefined;
  readonly cost: Cost;
  readonly nodes: number;
  readonly rollouts: number;
  readonly arrivalMs: number;
  readonly admittedMs: number | undefined;
  readonly endedMs: number;
}

export function checkRequest(request: SearchRequest): void {
  const { limits } = request;
  inRange('threshold', limits.threshold, 0, request.aggregation === 'sum' ? Number.MAX_VALUE : 1);
  wholeFrom('rollouts', limits.rollouts, 1);
  if (limits.tokens !== undefined) wholeFrom('tokens', limits.tokens, 1);
  if (limits.money !== undefined) inRange('money', limits.money, 0, Number.MAX_VALUE);
  if (limits.deadlineMs !== undefined) inRange('deadlineMs', limits.deadlineMs, 0, Number.MAX_VALUE);
  wholeFrom('stepTokens', request.stepTokens, 1);
  wholeFrom(`naturalWidth of program '${request.program.name}'`, request.program.naturalWidth, 1);
  if (request.groupSimilarity !== undefined) inRange('groupSimilarity', request.groupSimilarity, 0, 1);
  inRange('priority', request.priority, -1e9, 1e9);
  if (request.id === '') raise('bad-setting', 'id is empty: a search needs one');
  if (request.thinking !== undefined) wholeFrom('thinking.stepTokens', request.thinking.stepTokens, 1);
  if (request.delimiters.some((each) => each === '')) raise('bad-setting', 'delimiters has an empty string');
}

function inRange(setting: string, value: number, low: number, high: number): void {
  if (!(value >= low && value <= high))
    raise('bad-setting', `${setting} is ${value}; it must be from ${low} to ${high}`);
}

function wholeFrom(setting: string, value: number, low: number): void {
  if (!Number.isInteger(value) || value < low) {
    raise('bad-setting', `${setting} is ${value}; it must be a whole number from ${low}`);
  }
}
