// The contract of cost models: what one GPU takes for a batch of one model. Time is in milliseconds and given as curves,
// so that sums over many steps have a closed form. Measured tables (table.ts) and what an engine measures of itself
// have this shape. Excluded: queues, caches, memory, more than one GPU.

import { type Curve, countUntil, sumFrom, tilted, valueAt } from './curve.ts';

export interface CostModel {
  readonly name: string;
  /** Time of a decode step of `batch` sequences, over the mean number of cached tokens per sequence. */
  decodeCurve(batch: number): Curve;
  /** Time of a forward pass over new tokens, over their number. */
  readonly prefillCurve: Curve;
  /** Cost of each cached token that a row does not read: none with a paged cache; libllama's rows look at all cells. */
  readonly unreadTokenMs?: number;
  /** Extra step time for each sequence that joins; missing where it was not measured. */
  readonly joinMs?: number;
}

/** The sequences of a decode step: their number, the sum of their contexts, and all tokens in the cache, each once. */
export interface DecodeBatch {
  readonly sequences: number;
  readonly contextTokens: number;
  readonly residentTokens: number;
}

/** Assumes one shared context in the cache unless `residentTokens` is given. */
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

/** Extra time of new tokens in a pass that reads the weights anyway (chunked prefill beside decoding). */
export function prefillExtraMs(cost: CostModel, tokens: number): number {
  if (tokens <= 0) return 0;
  return Math.max(0, prefillMs(cost, tokens) - cost.prefillCurve.y[0]!);
}
