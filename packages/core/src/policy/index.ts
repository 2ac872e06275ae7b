// Exports of this folder to other packages, as `@coppice/core/policy`. A list only.

export { createScheduler, createSharedScheduler, optionsOf } from './create.ts';
export { definePolicy } from './define-policy.ts';
export { policyDefinition } from './definition.ts';
export { type PolicyOptions, turnedKnobs } from './knobs.ts';
export { type PolicyName, partsOf, policyNames, policyOf } from './policies.ts';
