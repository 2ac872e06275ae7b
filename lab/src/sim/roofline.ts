// A cost model from first principles (Williams et al., 2009): a step takes as long as the slower of reading the weights
// and the keys and values from memory, and doing the arithmetic. For GPUs and models without measurements.

import { type CostModel, curve } from '@coppice/core/cost';

/** Memory sizes of a model. */
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

export interface Gpu {
  readonly name: string;
  readonly memoryBytes: number;
  readonly bytesPerSecond: number;
  /** Dense 16-bit arithmetic. */
  readonly flopsPerSecond: number;
  /** Shares of the two that kernels reach, and what each step costs besides. */
  readonly memoryEfficiency: number;
  readonly computeEfficiency: number;
  readonly stepOverheadMs: number;
}

// Bandwidth, memory and dense bf16 rate from NVIDIA's data sheets; the efficiencies are fitted to the H200 tables.
export const h200: Gpu = {
  name: 'H200',
  memoryBytes: 141e9,
  bytesPerSecond: 4.8e12,
  flopsPerSecond: 989e12,
  memoryEfficiency: 0.72,
  computeEfficiency: 0.68,
  stepOverheadMs: 0.3,
};

/** Number of sequences from which on arithmetic, and not reading the weights, bounds a decode step, for any model. */
export function ridgeSequences(gpu: Gpu): number {
  return (gpu.flopsPerSecond * gpu.computeEfficiency) / (gpu.bytesPerSecond * gpu.memoryEfficiency);
}

export const h100: Gpu = { ...h200, name: 'H100', memoryBytes: 80e9, bytesPerSecond: 3.35e12 };

/** Tokens whose keys and values fit beside the weights if `share` of the memory is used. */
export function kvTokensFitting(shape: ModelShape, memoryBytes: number, share: number): number {
  return Math.max(0, Math.floor((memoryBytes * share - shape.weightBytes) / shape.kvBytesPerToken));
}

export function rooflineCost(gpu: Gpu, shape: ModelShape): CostModel {
  const bytesPerMs = (gpu.bytesPerSecond * gpu.memoryEfficiency) / 1000;
  const flopsPerMs = (gpu.flopsPerSecond * gpu.computeEfficiency) / 1000;
  const weightsMs = shape.weightBytes / bytesPerMs;
  // Two operations per parameter and token; 16-bit weights.
  const tokenMs = shape.weightBytes / flopsPerMs;
  const decodeCurve = (batch: number) => {
    const memoryMs = (context: number) => weightsMs + (batch * context * shape.kvBytesPerToken) / bytesPerMs;
    return slower(batch * tokenMs, memoryMs, gpu.stepOverheadMs);
  };
  const ridge = ridgeSequences(gpu);
  const prefillCurve = curve([
    [1, weightsMs + gpu.stepOverheadMs],
    [ridge, weightsMs + gpu.stepOverheadMs],
    [16 * ridge, 16 * weightsMs + gpu.stepOverheadMs],
  ]);
  return { name: `${shape.name} on ${gpu.name}, roofline`, decodeCurve, prefillCurve };
}

/** The larger of a constant and a rising line, as a curve over the context. */
function slower(computeMs: number, memoryMs: (context: number) => number, overheadMs: number) {
  const far = 131072;
  const perToken = (memoryMs(far) - memoryMs(0)) / far;
  const crossing = (computeMs - memoryMs(0)) / perToken;
  const line = (context: number): [number, number] => [context, Math.max(computeMs, memoryMs(context)) + overheadMs];
  return curve(crossing > 0 && crossing < far ? [line(0), line(crossing), line(far)] : [line(0), line(far)]);
}
