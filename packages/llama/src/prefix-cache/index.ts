// `@coppice/llama/prefix-cache`: the names that other packages may import. A list only.

export { PrefixStore } from './prefix-store.ts';
