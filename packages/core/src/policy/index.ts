// Exports of this folder to other packages, as `@coppice/core/policy`. A list only.

export { createScheduler, createSharedScheduler, optionsOf } from './create.ts';
export { definePolicy } from './define-policy.ts';
export { policyDefinition } from './definition.ts';
export { turnedKnobs } from './knobs.ts';
export { type PolicyName, policyNames, policyOf } from './policies.ts';
