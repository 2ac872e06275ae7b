// What other packages may import of this folder, as `@coppice/llama/native`. A list only.

export { loadBinding } from './binding.ts';
export { Model } from './model.ts';
export { findLibrary } from './platform.ts';
