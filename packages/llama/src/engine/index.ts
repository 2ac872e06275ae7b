// `@coppice/llama/engine`: the names that other packages may import. A list only.

export { LlamaEngine, llamaDefaults } from './llama-engine.ts';
