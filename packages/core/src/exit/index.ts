// Exports of this folder to other packages, as `@coppice/core/exit`. A list only.

export { requireBound } from './bound.ts';
export {
  type Agreement,
  type AgreementRule,
  type CertaintyOptions,
  certaintyKnobs,
  counted,
  leadNeeded,
  standings,
} from './certain.ts';
export { leadProbability } from './certificate.ts';
export { concluded } from './concluded.ts';
export { definePrune, type PrunePart } from './definition.ts';
export { type Limits, type PruneRule, readable } from './exit.ts';
export type { CertaintyRule } from './exits.ts';
export { doomedBy, pruningsOf, spentAt } from './prune/prune.ts';
export { promiseKnobs } from './prune/prunes.ts';
