// Lists what `import … from '@coppice/core/testing'` gives: a suite for each contract, kept by semantic versioning as the contracts are.
// A new release may add cases. Nothing is defined here.

export { type ConformanceCase, prove, type Skips } from './case/conformance-case.ts';
export { type EmbedderHarness, embedderCases } from './embedder-cases.ts';
export { type EngineHarness, engineCases } from './engine-cases.ts';
export { type JournalHarness, journalCases } from './journal/journal-cases.ts';
export { type ProgramCaseOptions, programCases } from './program/program-cases.ts';
export { type ReplicaListHarness, replicaListCases } from './replica-list-cases.ts';
export { exitCases, pruneCases } from './rule-cases.ts';
export { type VerifierHarness, verifierCases } from './verifier-cases.ts';
