// `@coppice/sim/engine`: the names that other packages may import. A list only.

export { llama8b, prm7b } from './h200.ts';
export { noBlocks, type PromptBlocks } from './prefix-cache.ts';
export { QuestionModel } from './questions/question-model.ts';
export type { QuestionProfile, QuestionSize, RewardErrors, Tip } from './questions/question-profile.ts';
export { extractAnswer } from './questions/question-text.ts';
export { SimEngine } from './sim-engine.ts';
export { SimReplica } from './sim-replica.ts';
export type { RewardSource, StepSource } from './source.ts';
export { World } from './world.ts';
