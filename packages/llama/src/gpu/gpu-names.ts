// The devices of the embedded engine.

/** `auto`: the fastest device whose library is installed and runs; `off`: the CPU. */
export const gpuNames = ['auto', 'cuda', 'vulkan', 'metal', 'off'] as const;
export type GpuChoice = (typeof gpuNames)[number];
