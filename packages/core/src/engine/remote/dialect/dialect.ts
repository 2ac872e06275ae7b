// The contract of dialects: how one kind of server is asked for a step and how its answer is read. Pure. A dialect tells a delimiter from
// the end of the answer by its server's own rule, where it has one.

import type { Message, Prompt, Sampling } from '../../../tree/step.ts';
import type { JsonSchema, Lane, TemplateThinking } from '../../engine.ts';

const dialectNames = ['vllm', 'sglang', 'llama-server', 'openai'] as const;
export type DialectName = (typeof dialectNames)[number];

export interface ServerFacts {
  readonly dialect: DialectName;
  readonly version: string | undefined;
  readonly model: string;
  /** The last part of the path or name that its weights were loaded from. */
  readonly loadedFrom?: string | undefined;
  readonly contextTokens: number | undefined;
  readonly trainedTokens?: number | undefined;
  readonly sequenceLimit: number | undefined;
  /** `none` if it knows no priorities or they are switched off. */
  readonly priorityOrder: 'none' | 'lower-first' | 'higher-first';
  readonly seeded: boolean;
  readonly logprobs: boolean;
  readonly countsCache: boolean;
  readonly prefixCaching: boolean | undefined;
  /** Engines behind one address, each with a cache of its own (data parallelism); one by default. */
  readonly ranks?: number | undefined;
  readonly returnsTokens: boolean;
  /** Its chat endpoint takes tools that the model may call. */
  readonly turns?: boolean;
  readonly thinking?: TemplateThinking | undefined;
}

export interface Call {
  /** Fixed length, unique: SGLang aborts by prefix. */
  readonly name: string;
  readonly prompt: Prompt;
  /** Root and path as tokens, for servers that take them; `pathText` is empty then. */
  readonly tokenIds: readonly number[] | undefined;
  readonly pathText: string;
  /** Messages of a path up to its last turn; `pathText` follows them. */
  readonly said?: readonly Message[];
  readonly siblings: number;
  readonly sampling: Sampling;
  /** The first sibling's; the others count on from it. Undefined if the search need not be repeatable. */
  readonly seed: number | undefined;
  /** Token ids of what is written; true by default. */
  readonly ids?: boolean;
  readonly logprobs: boolean;
  readonly entropy?: boolean;
  readonly pieces?: boolean;
  /** `ends`: a stream that says little before each sibling's end; `whole`: in one piece. */
  readonly delivery: 'tokens' | 'ends' | 'whole';
  readonly stops: readonly string[];
  readonly maxTokens: number;
  readonly shape?: JsonSchema | undefined;
  /** The server sends thinking in a field of its own, so a path comes in one piece. */
  readonly whole?: boolean;
  readonly exact?: boolean;
  readonly lane: Lane;
  readonly priority: number;
  readonly salt?: string | undefined;
}

export interface WireRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type WireEnd = 'delimiter' | 'eos' | 'length';

export interface WireUsage {
  readonly promptTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly generatedTokens: number | undefined;
  readonly thoughtTokens?: number | undefined;
}

export interface Update {
  readonly index: number;
  readonly text: string;
  /** Thinking from a field of its own; it stands before the text. */
  readonly thought?: string;
  readonly tokenIds?: readonly number[];
  readonly logprobs?: readonly number[];
  /** Each token as the server writes it alone: not always what it adds to the text. */
  readonly written?: readonly string[] | undefined;
  readonly entropy?: number | undefined;
  /** Repeats everything so far. */
  readonly cumulative?: boolean;
  readonly end?: WireEnd | undefined;
  /** The delimiter that ended it, if the server leaves it out of the text. */
  readonly appended?: string;
  readonly usage?: WireUsage;
}

export interface Dialect {
  readonly name: DialectName;
  readonly takesTokens: boolean;
  readonly givesWhole: boolean;
  readonly sumsUsage: boolean;
  readonly tellsEntropy?: true;
  readonly tellsPieces?: true;
  readonly holdsShapes?: true;
  readonly stopLimit: number;
  readonly takes: readonly string[];
  readonly passes: readonly string[];
  encode(call: Call, facts: ServerFacts): WireRequest;
  /** Raises a fault for a broken protocol and for errors told inside a stream. */
  decode(event: unknown, call: Call): readonly Update[];
  /** Sent before closing, if closing alone stops the work too late. */
  abort?(call: Call): WireRequest;
  render?(prompt: Prompt, facts: ServerFacts): readonly RenderStep[];
  tokenize?(text: string, facts: ServerFacts): WireRequest;
}

export type RenderStep = (previous: unknown) => WireRequest;

/** The lanes lie further apart than any two priorities within one. */
const priorityBound = 1 << 20;

export function wirePriority(call: Call, order: ServerFacts['priorityOrder']): number | undefined {
  if (order === 'none') return undefined;
  const within = Math.max(-priorityBound, Math.min(priorityBound, Math.round(call.priority)));
  const rank = within - (call.lane === 'speculative' ? 4 * priorityBound : 0);
  return order === 'higher-first' ? rank : -rank;
}

export function extrasFor({ takes }: Pick<Dialect, 'takes'>, { extras = {} }: Sampling): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extras).filter(([name]) => takes.includes(name)));
}

/** Servers would fill in their model's own values for unset ones. */
export function neutralSampling(sampling: Sampling): { temperature: number; topP: number; topK: number; minP: number } {
  const { temperature, topP = 1, topK = 0, minP = 0 } = sampling;
  return { temperature, topP, topK, minP };
}
