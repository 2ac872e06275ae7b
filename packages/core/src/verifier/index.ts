// What other packages may import of this folder, as `@coppice/core/verifier`. A list only.

export { falseLine } from './checked-verifier.ts';
export { runnerCommand } from './command/python-runner.ts';
export { sandboxKinds } from './command/sandbox.ts';
export { defineVerifier, makeVerifier, type VerifierPart } from './definition.ts';
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
export { questionOf } from './scorer.ts';
export type {
  Judgement,
  ScoreRequest,
  ScoreUsage,
  Verifier,
  VerifierCapabilities,
  VerifierLoad,
  VerifierMessage,
} from './verifier.ts';
