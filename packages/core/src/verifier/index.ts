// What other packages may import of this folder, as `@coppice/core/verifier`. A list only.

export { falseLine } from './checked-verifier.ts';
export { sandboxKinds } from './command/limits.ts';
export { runnerCommand } from './command/python-runner.ts';
export { defineVerifier, type Judgement, makeVerifier, type VerifierPart } from './definition.ts';
export { JudgeScorer } from './judge/judge-scorer.ts';
export { type CausalVerdicts, stepReading } from './prm/causal-formats.ts';
export { renderQwen } from './prm/qwen-scorer.ts';
export { UnreadEnd } from './prm/unread-end.ts';
export { type ProbedRewards, probeSteps, probeWarning } from './probe-steps.ts';
export {
  type OpenVerifierOptions,
  openRemoteVerifier,
  type RemoteVerifierKind,
  remoteVerifierKinds,
} from './remote/open-verifier.ts';
export type { RemoteVerifier } from './remote/remote-verifier.ts';
export { sharedServerWarning } from './remote/shared-server.ts';
export { questionOf, type ScoringServer } from './scorer.ts';
export type {
  ScoreRequest,
  ScoreUsage,
  Verifier,
  VerifierCapabilities,
  VerifierLoad,
  VerifierMessage,
} from './verifier.ts';
