// Exports of this folder to other packages, as `@coppice/core/answering`. A list only.

export { type OwnModelOptions, ownModel, shippedOf } from './models/model-by-name.ts';
export { closeModel, type OpenModel } from './models/open-model.ts';
export { openModel, openModels } from './models/open-models.ts';
export { ownPlan } from './models/own-plan.ts';
export type { RemoteSection } from './models/remote-kind.ts';
export { noteFor } from './models/scorer-note.ts';
export { followReplicas, mostStrands, panelMember, strandsOf } from './models/strands.ts';
export { type PrmSection, prmKind, triedReward } from './models/verifier-kinds.ts';
export { escalatedPlan, makePlan } from './plan/plan.ts';
export { checkWish, shapeTrouble } from './plan/plan-check.ts';
export { effortOf } from './plan/planned-budget.ts';
export { policySettings } from './plan/planned-policy.ts';
export { actingThreshold, judgedLeaf, usualSearch } from './plan/planned-search.ts';
export { Refusal } from './plan/refusal.ts';
export type { PlannedModel, PlanRequest, SearchPlan, Wish, WishedShape } from './plan/search-plan.ts';
export { type BuiltSearch, buildSearch, type Extract, requestOf } from './plan/search-request.ts';
export { confidenceFile, readPrompts } from './prompts.ts';
export { askedQuestion, isGradable, isRight, lastAsked } from './question.ts';
export { type GoldQuestion, readQuestions } from './question-file.ts';
export { type FinishedRun, runSearch } from './search-run.ts';
