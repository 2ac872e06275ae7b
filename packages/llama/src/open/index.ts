// What other packages may import of this folder, as `@coppice/llama/open`. A list only.

export { type Embedded, measuredRound, measuredSplit, openEmbedded } from './embedded.ts';
export { embeddedModel } from './embedded-model.ts';
