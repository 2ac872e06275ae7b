// What other packages may import of this folder, as `@coppice/llama/prefix-cache`. A list only.

export { PrefixStore } from './prefix-store.ts';
