// Exports of this folder to other packages, as `@coppice/core/exit`. A list only.

export { requireBound } from './bound.ts';
export { concluded } from './concluded.ts';
export { defineExit, type ExitPart, type ExitRule, type Limits, readable } from './exit.ts';
export { doomedBy, pruningsOf, spentAt } from './prune.ts';
