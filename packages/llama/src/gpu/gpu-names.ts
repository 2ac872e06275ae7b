// What the embedded engine can be told to compute on.

/** `auto`: whatever is installed and runs, the fastest first; `off`: the CPU. */
export const gpuNames = ['auto', 'cuda', 'vulkan', 'metal', 'off'] as const;
export type GpuChoice = (typeof gpuNames)[number];
