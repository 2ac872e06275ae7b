// What other packages may import of this folder, as `@coppice/llama/prm`. A list only.

export { LlamaPrm } from './llama-prm.ts';
