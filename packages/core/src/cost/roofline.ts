// The most that a GPU can do by its data sheet (roofline, Williams et al., 2009): bytes read and operations done in a second.

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

/** Sequences from which on a decode step is bound by arithmetic and no longer by reading the weights, whatever the model. */
export function ridgeSequences(gpu: Gpu): number {
  return (gpu.flopsPerSecond * gpu.computeEfficiency) / (gpu.bytesPerSecond * gpu.memoryEfficiency);
}
