// What other packages may import of this folder, as `@coppice/llama/batch`. A list only.

export { Batcher } from './batcher.ts';
export { Context } from './context.ts';
export { Sampler, uniformOf } from './sampler.ts';
