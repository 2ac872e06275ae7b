// What other packages may import of this folder, as `@coppice/llama/batch`. A list only.

export { Batcher } from './batcher.ts';
export { Context } from './context.ts';
export type { Batch, Run, Sequence } from './run.ts';
export { Sampler, uniformOf } from './sampler.ts';
