// The contract of cost models: what one GPU takes for a batch of one model. Time is in milliseconds and given as curves,
// so that sums over many steps have a closed form. Measured tables (table.ts), a roofline (roofline.ts) and, later, what
// an engine measures of itself all have this shape. Excluded: queues, caches, memory, more than one GPU.

import { type Curve, countUntil, sumFrom, tilted, valueAt } from './curve.ts';

export interface CostModel {
  readonly name: string;
  /** One decode step of `batch` sequences, over the mean number of cached tokens per sequence. */
  decodeCurve(batch: number): Curve;
  /** One forward pass over new tokens, over their number. */
  readonly prefillCurve: Curve;
  /** What each cached token that a row does not read costs it: nothing with a paged cache; libllama's rows look at all cells. */
  readonly unreadTokenMs?: number;
  /** How much longer a step takes for each sequence that joins it; missing where it was not measured. */
  readonly joinMs?: number;
}

/** What memory a model takes; the shape also feeds the roofline. */
export interface ModelShape {
  readonly name: string;
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly weightBytes: number;
  readonly kvBytesPerToken: number;
}

/** The sequences of a decode step: their number, the sum of their contexts, and all tokens in the cache, each once. */
export interface DecodeBatch {
  readonly sequences: number;
  readonly contextTokens: number;
  readonly residentTokens: number;
}

/** One decode step; with nothing but one shared context in the cache unless `residentTokens` is given. */
export function decodeMs(cost: CostModel, sequences: number, contextTokens: number, residentTokens?: number): number {
  const batch = { sequences, contextTokens, residentTokens: residentTokens ?? contextTokens / sequences };
  return valueAt(spanCurve(cost, batch), contextTokens / sequences);
}

/** `steps` decode steps of an unchanged batch, each context growing by one token a step. */
export function decodeSpanMs(cost: CostModel, batch: DecodeBatch, steps: number): number {
  return sumFrom(spanCurve(cost, batch), batch.contextTokens / batch.sequences, steps);
}

export function decodeStepsUntil(cost: CostModel, batch: DecodeBatch, durationMs: number): number {
  return countUntil(spanCurve(cost, batch), batch.contextTokens / batch.sequences, durationMs);
}

/** What the rows of a pass pay for cached tokens that they do not read. */
export function unreadMs(cost: CostModel, rows: number, unreadTokens: number): number {
  return (cost.unreadTokenMs ?? 0) * rows * unreadTokens;
}

/** Step times of a batch that decodes on: with each token of context, the others add one token each to what is unread. */
function spanCurve(cost: CostModel, { sequences, contextTokens, residentTokens }: DecodeBatch): Curve {
  const curve = cost.decodeCurve(sequences);
  if (cost.unreadTokenMs === undefined) return curve;
  const context = contextTokens / sequences;
  const extraMs = unreadMs(cost, sequences, residentTokens - context);
  return tilted(curve, context, extraMs, unreadMs(cost, sequences, sequences - 1));
}

export function prefillMs(cost: CostModel, tokens: number): number {
  if (tokens <= 0) return 0;
  const smallest = cost.prefillCurve.x[0]!;
  return valueAt(cost.prefillCurve, Math.max(tokens, smallest));
}

/** What new tokens add to a pass that reads the weights anyway (chunked prefill beside decoding). */
export function prefillExtraMs(cost: CostModel, tokens: number): number {
  if (tokens <= 0) return 0;
  return Math.max(0, prefillMs(cost, tokens) - cost.prefillCurve.y[0]!);
}
