// The end of a search as its log says it: why, with which answer, at what cost. Plain data, read by all
// parts from the exit rules to the dashboard; what decides these things lives elsewhere.

import type { NodeId } from '../tree/events.ts';

export const exitKinds = [
  'accepted', // positive: a completed path reached the threshold
  'futile', // negative: no continuation can, or is likely to, reach it
  'certain', // the answers agree
  'settled', // another sample was not worth its price
  'exhausted', // the budget is spent or nothing is left to grow
  'deadline', // out of time
  'cancelled', // by the client
  'failed', // engine or verifier could not go on, or a part of the search threw
] as const;
export type ExitKind = (typeof exitKinds)[number];

export type Evidence = Readonly<Record<string, number | string>>;

export interface Exit {
  readonly kind: ExitKind;
  readonly rule: string;
  readonly evidence: Evidence;
}

export interface Answer {
  readonly node: NodeId;
  readonly text: string;
  readonly answer: string | undefined;
  readonly score: number | undefined;
  /** False when no path has been completed and this is the best beginning of one. */
  readonly complete: boolean;
  /** The question has an answer that can be read off a text, and no path says one. */
  readonly unsaid?: true;
  /** Share of the vote's weight behind this answer; missing without a vote. */
  readonly support?: number;
  /** Finished paths, each as often as it was drawn, and how likely the answer is right (answer/confidence.ts); older logs lack both. */
  readonly samples?: number;
  readonly confidence?: number;
}

/** Tokens of a search by where they went. Generated tokens count once, in exactly one of the first three. */
export interface Cost {
  /** Generated tokens of steps that are nodes of the tree. */
  readonly committedTokens: number;
  /** Generated tokens of steps that were cancelled, failed, came late or came twice. */
  readonly discardedTokens: number;
  /** Generated tokens of speculative steps that the program never asked for. */
  readonly speculativeTokens: number;
  /** Committed tokens of steps grown ahead of the program; older logs lack both. */
  readonly adoptedTokens?: number;
  /** Discarded tokens of speculation that was given up. */
  readonly forsakenTokens?: number;
  /** Prompt and path tokens computed by the engine, and those it found in its cache. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Generated tokens that the engine computed: fewer than were drawn where draws repeated each other. Older logs lack it. */
  readonly decodedTokens?: number;
  readonly verifierTokens: number;
  readonly verifierCachedTokens: number;
  readonly engineCalls: number;
  readonly verifierCalls: number;
  /** Costs by model, where draws named models or tokens have prices. */
  readonly models?: Readonly<Record<string, WriterCost>>;
  /** Price of the engines' tokens, in the currency of the models' prices; missing where none has a price. */
  readonly money?: number;
  /** Tokens of the embedding model that groups open answers; missing where none was asked. */
  readonly embedderTokens?: number;
  readonly embedderTexts?: number;
}

/** Tokens that one model read and wrote, in every call, whatever became of it. */
export interface WriterCost {
  readonly calls: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly money?: number;
}

/** Money for a million tokens, in any one currency. */
export interface Price {
  readonly prompt: number;
  /** Read from a cache; as `prompt` unless said. */
  readonly cached?: number | undefined;
  readonly generated: number;
}
