// The contract of cost models: what one GPU takes for a batch of one model. Time is in milliseconds and given as curves,
// so that sums over many steps have a closed form. Measured tables (table.ts), a roofline (roofline.ts) and, later, what
// an engine measures of itself all have this shape. Excluded: queues, caches, memory, more than one GPU.

import { type Curve, countUntil, sumFrom, valueAt } from './curve.ts';

export interface CostModel {
  readonly name: string;
  /** One decode step of `batch` sequences, over the mean number of cached tokens per sequence. */
  decodeCurve(batch: number): Curve;
  /** One forward pass over new tokens, over their number. */
  readonly prefillCurve: Curve;
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

export function decodeMs(cost: CostModel, batch: number, cachedTokens: number): number {
  return valueAt(cost.decodeCurve(batch), cachedTokens / batch);
}

/** `steps` decode steps of an unchanged batch, each context growing by one token a step. */
export function decodeSpanMs(cost: CostModel, batch: number, cachedTokens: number, steps: number): number {
  return sumFrom(cost.decodeCurve(batch), cachedTokens / batch, steps);
}

/** The decode steps after which at least `durationMs` have passed. */
export function decodeStepsUntil(cost: CostModel, batch: number, cachedTokens: number, durationMs: number): number {
  return countUntil(cost.decodeCurve(batch), cachedTokens / batch, durationMs);
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

/** Tokens whose keys and values fit beside the weights when `share` of the memory is used. */
export function kvTokensFitting(shape: ModelShape, memoryBytes: number, share: number): number {
  return Math.max(0, Math.floor((memoryBytes * share - shape.weightBytes) / shape.kvBytesPerToken));
}
