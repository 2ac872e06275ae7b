// `@coppice/llama/prm`: the names that other packages may import. A list only.

export { LlamaPrm } from './llama-prm.ts';
