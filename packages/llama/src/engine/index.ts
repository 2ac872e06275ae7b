// What other packages may import of this folder, as `@coppice/llama/engine`. A list only.

export { LlamaEngine, llamaDefaults } from './llama-engine.ts';
