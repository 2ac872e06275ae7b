// The contract of dialects: how one kind of server is asked for a step and how its answer is read. Pure: values in,
// values out. A dialect must tell a delimiter from the end of the answer by its server's own rule, or say `unseen`.
// Excluded: sockets, queues, retries, and cutting text on our side (draft.ts).

import type { Message, Prompt, Sampling } from '../../../tree/step.ts';
import type { JsonSchema, Lane, TemplateThinking } from '../../engine.ts';

const dialectNames = ['vllm', 'sglang', 'llama-server', 'openai'] as const;
export type DialectName = (typeof dialectNames)[number];

export interface ServerFacts {
  readonly dialect: DialectName;
  readonly version: string | undefined;
  readonly model: string;
  /** The last part of the path or name that its weights were loaded from, where the server says so. */
  readonly loadedFrom?: string | undefined;
  readonly contextTokens: number | undefined;
  /** The longest context that the model itself was trained for, where the server says so. */
  readonly trainedTokens?: number | undefined;
  readonly sequenceLimit: number | undefined;
  /** Which number goes first in its own queue; `none` where it knows no priorities or they are switched off. */
  readonly priorityOrder: 'none' | 'lower-first' | 'higher-first';
  readonly seeded: boolean;
  readonly logprobs: boolean;
  readonly countsCache: boolean;
  readonly prefixCaching: boolean | undefined;
  /** Engines behind one address, each with a cache of its own (data parallelism); one unless said. */
  readonly ranks?: number | undefined;
  /** Steps come back with their tokens, so that a path continues exactly where it ended. */
  readonly returnsTokens: boolean;
  /** What the model's template says of thinking, where the server renders it. */
  readonly thinking?: TemplateThinking | undefined;
}

export interface Call {
  /** Fixed length, unique: SGLang aborts by prefix. */
  readonly name: string;
  readonly prompt: Prompt;
  /** Root and path as tokens, for servers that take them; the path's text otherwise. Never both. */
  readonly tokenIds: readonly number[] | undefined;
  readonly pathText: string;
  /** Of a path with turns of the user's side, as text: the messages up to the last turn. What is said behind it is `pathText`. */
  readonly said?: readonly Message[];
  readonly siblings: number;
  readonly sampling: Sampling;
  /** That of the first sibling, the others count on from it; undefined where the search need not be repeatable. */
  readonly seed: number | undefined;
  readonly logprobs: boolean;
  /** The entropy of the first token is wanted, of a server that tells the likeliest tokens. */
  readonly entropy?: boolean;
  /** The likeliest candidates of every token are wanted, of a server that tells them. */
  readonly confidence?: boolean;
  /** The tokens are wanted as text too, of a server that tells them. */
  readonly pieces?: boolean;
  readonly delivery: Delivery;
  /** Delimiters for the server to stop at; empty where we cut. */
  readonly stops: readonly string[];
  readonly maxTokens: number;
  /** What the answer is held to, of a server that can. */
  readonly shape?: JsonSchema | undefined;
  /** The server sends thinking in a field of its own, and so a path in one piece: it cannot be told to go on inside it. */
  readonly whole?: boolean;
  /** As many tokens as `maxTokens`, the model's own end ignored. */
  readonly exact?: boolean;
  readonly lane: Lane;
  readonly priority: number;
}

/** `tokens`: as they are written; `ends`: a stream that says little before each sibling's end; `whole`: in one piece. */
export type Delivery = 'tokens' | 'ends' | 'whole';

export interface WireRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type WireEnd = 'delimiter' | 'eos' | 'length';

export interface WireUsage {
  readonly promptTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly generatedTokens: number | undefined;
  /** Of these, tokens of thinking, where the server counts them. */
  readonly thoughtTokens?: number | undefined;
}

export interface Update {
  readonly index: number;
  readonly text: string;
  /** Thinking that came in a field of its own; it stands before the text. */
  readonly thought?: string;
  readonly tokenIds?: readonly number[];
  readonly logprobs?: readonly number[];
  /** The tokens as the server writes each alone: not always what they add to the text. */
  readonly written?: readonly string[] | undefined;
  readonly confidences?: readonly number[] | undefined;
  readonly entropy?: number | undefined;
  /** Text, tokens and log probabilities are all there are so far, not what is new. */
  readonly cumulative?: boolean;
  readonly end?: WireEnd | undefined;
  /** The delimiter that ended it, where the server leaves it out of the text. */
  readonly appended?: string;
  readonly usage?: WireUsage;
}

export interface Dialect {
  readonly name: DialectName;
  readonly takesTokens: boolean;
  readonly seesStops: boolean;
  readonly givesWhole: boolean;
  /** Siblings of one request are counted together in its usage, so that each is counted by its own tokens. */
  readonly sumsUsage: boolean;
  readonly tellsEntropy?: true;
  readonly tellsConfidence?: true;
  readonly tellsPieces?: true;
  readonly holdsShapes?: true;
  readonly stopLimit: number;
  /** Sampling fields that it understands, and fields of its own chat endpoint: see EngineCapabilities. */
  readonly takes: readonly string[];
  readonly passes: readonly string[];
  encode(call: Call, facts: ServerFacts): WireRequest;
  /** Raises a fault for what is not this server's protocol, and for errors told inside a stream. */
  decode(event: unknown, call: Call): readonly Update[];
  /** What to send before closing the connection, where closing alone stops the work too late. */
  abort?(call: Call): WireRequest;
  /** Requests that turn a prompt into tokens, each fed with the answer of the one before. */
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

/** Unset sampling settings are sent as neutral values: servers would fill in their model's own. */
export function neutralSampling(sampling: Sampling): { temperature: number; topP: number; topK: number; minP: number } {
  const { temperature, topP = 1, topK = 0, minP = 0 } = sampling;
  return { temperature, topP, topK, minP };
}
