// `@coppice/llama/open`: the names that other packages may import. A list only.

export { measuredRound, measuredSplit, openEmbedded } from './embedded.ts';
export { embeddedModel } from './embedded-model.ts';
export { type KvSplitProblem, splitKv, timedSplit } from './kv-split.ts';
