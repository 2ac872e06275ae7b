// The devices of the embedded engine.

/** `auto`: whatever is installed and runs, the fastest first; `off`: the CPU. */
export const gpuNames = ['auto', 'cuda', 'vulkan', 'metal', 'off'] as const;
export type GpuChoice = (typeof gpuNames)[number];
