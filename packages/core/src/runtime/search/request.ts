// What a caller hands to the runtime to have one question answered, and what it gets back.

import { raise } from '../../base/fault.ts';
import type { JsonSchema } from '../../engine/engine.ts';
import type { Limits } from '../../exit/exit.ts';
import type { Answer, Cost, Exit, Price } from '../../log/end.ts';
import type { Rules } from '../../policy/policy.ts';
import type { Program } from '../../program/program.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import type { ThinkingTags } from '../../tree/readings/thinking.ts';
import type { Prompt } from '../../tree/step.ts';

/** The facts of a search that its plan fixes and the runtime reads: plain data, journalled with the plan. */
export interface SearchFacts {
  readonly prompt: Prompt;
  /** The search's own model, by name: it writes what names no other. */
  readonly model?: string | undefined;
  /** The models that draws may name, and the own one where its tokens have a price. */
  readonly writers?: Readonly<Record<string, Writer>> | undefined;
  /** Defaults to the aggregation that the verifier was made for, or `product` without one. */
  readonly aggregation?: Aggregation;
  readonly seed: number;
  /** Whether the seed must be obeyed; true unless said. Servers are faster without seeds. */
  readonly repeatable?: boolean;
  /** The first path takes the likeliest token at every step, whatever its program's sampling. */
  readonly firstGreedy?: boolean | undefined;
  /** Higher is admitted first. */
  readonly priority: number;
  /** No client waits for it: it runs on what the others leave idle. */
  readonly idle?: boolean | undefined;
  /** Strings that end a step. */
  readonly delimiters: readonly string[];
  /** Longest step. */
  readonly stepTokens: number;
  /** Steps come with their tokens as text and with their log probabilities. */
  readonly logprobs?: boolean | undefined;
  /** Steps are logged with what the model read and wrote by token id, where the engine knows it. */
  readonly recordTokens?: boolean | undefined;
  /** Least cosine of two answers in the model's own words that mean the same; unset groups none. */
  readonly groupSimilarity?: number | undefined;
  /** How the model's thinking is told from its answer and bounded; without it a tag is text like any other. */
  readonly thinking?: ThinkingPlan | undefined;
  /** Tests that came with the question, for a verifier that runs tests. */
  readonly tests?: string | undefined;
  /** The question has an answer that can be read off a text: a path that says none is not accepted. */
  readonly marked?: boolean | undefined;
}

export interface SearchRequest extends SearchFacts {
  /** Chosen by the caller, unique among the live searches of a runtime. */
  readonly id: string;
  readonly program: Program;
  readonly rules: Rules;
  readonly limits: Limits;
  /** What the last step of every path is held to. */
  readonly shape?: AnswerShape | undefined;
  /** What a finished path answers; undefined where it answers nothing. Must be pure. */
  readonly extract: (pathText: string) => string | undefined;
}

/** A model that thinks before it answers. Plain data: it stands in the plan of the search, and so in the journal. */
export interface ThinkingPlan extends ThinkingTags {
  /** The model's template has begun the thinking before its first token. */
  readonly opened: boolean;
  /** Strings that end a step inside the thinking, beside the tag that ends it. */
  readonly delimiters: readonly string[];
  /** Longest step inside it. */
  readonly stepTokens: number;
  /** Tokens of a path after which the thinking is ended for the model, and its answer asked for. */
  readonly maxTokens: number;
  /** What is said then, before the tag. */
  readonly lastWords: string;
}

/** A model that writes steps of a search. */
export interface Writer {
  /** The question as it is put to it; as to the search's own model unless said. */
  readonly prompt?: Prompt | undefined;
  readonly price?: Price | undefined;
}

/**
 * An answer that is JSON of a schema. It is the last step of its path: the one below a step at which the model had ended its
 * answer in its own words, or the last that a path may have.
 */
export interface AnswerShape {
  readonly schema: JsonSchema;
  /** Put behind the path before the model writes it. */
  readonly words: string;
  readonly maxTokens: number;
  /** Steps of a path at the most. */
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
  /** Undefined when it ended before it was admitted. */
  readonly admittedMs: number | undefined;
  readonly endedMs: number;
}

/** Refuses what no search can mean, with the value, the bound and the setting. */
export function checkRequest(request: SearchRequest): void {
  const { limits } = request;
  inRange('threshold', limits.threshold, 0, request.aggregation === 'sum' ? Number.MAX_VALUE : 1);
  wholeFrom('rollouts', limits.rollouts, 1);
  if (limits.tokens !== undefined) wholeFrom('tokens', limits.tokens, 1);
  if (limits.money !== undefined) inRange('money', limits.money, 0, Number.MAX_VALUE);
  if (limits.timeMs !== undefined) inRange('timeMs', limits.timeMs, 0, Number.MAX_VALUE);
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
