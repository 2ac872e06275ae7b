// `@coppice/llama/batch`: the names that other packages may import. A list only.

export { Batcher } from './batcher.ts';
export { Context } from './context.ts';
export { Sampler, uniformOf } from './sampler.ts';
