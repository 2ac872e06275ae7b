// `@coppice/llama/native`: the names that other packages may import. A list only.

export { loadBinding } from './binding.ts';
export { Model } from './model.ts';
export { findLibrary } from './platform.ts';
