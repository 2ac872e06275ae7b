// The contract of verifiers: score the last step of paths, in batches. Each request is answered by exactly one `score` or `fault`; `held`
// and `taken` are as an engine's. A reward is a number from 0 to 1, made for the aggregation that the verifier names. Excluded:
// aggregating, judging against gold, retries by the caller. Conformance suite: testing/verifier-cases.ts.

import type { Fault } from '../base/fault.ts';
import type { Custody, PathStep, RequestId, Urgency } from '../engine/engine.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { NodeKey } from '../tree/keys.ts';
import type { Prompt, Step } from '../tree/step.ts';

export interface ScoreRequest extends Urgency {
  readonly id: RequestId;
  readonly search: string;
  readonly prompt: Prompt;
  readonly parent: NodeKey;
  readonly index: number;
  readonly path: readonly PathStep[];
  readonly step: Step;
  readonly tests?: string;
}

export interface ScoreUsage {
  readonly computedTokens: number;
  readonly cachedTokens: number;
}

export const noUsage: ScoreUsage = { computedTokens: 0, cachedTokens: 0 };

export interface Judgement {
  readonly reward: number;
  /** Why, in words; a program may put them to the model. */
  readonly feedback?: string | undefined;
}

export type VerifierMessage =
  | (Judgement & { readonly type: 'score'; readonly request: RequestId; readonly usage: ScoreUsage })
  | { readonly type: 'fault'; readonly request: RequestId; readonly fault: Fault }
  | Custody;

/** Of a step that no model has read. */
export function freeScore(request: RequestId, judgement: Judgement): VerifierMessage {
  return { type: 'score', request, ...judgement, usage: noUsage };
}

export interface VerifierCapabilities {
  readonly name: string;
  /** Its rewards were made for it; the negative exit and the bound obey it. */
  readonly aggregation: Aggregation;
  readonly reusesPrefix: boolean;
  /** Scores several steps of a path in one pass (P4 §4.1.3). */
  readonly looksAhead?: boolean;
  /** The sandbox of its processes, and what a hostile one could still do. */
  readonly containment?: { readonly by: string; readonly open: readonly string[] };
  readonly readsLogprobs?: boolean;
  /** s of a weight odds^s of its scores in a vote, as its maker found it. */
  readonly trust?: number | undefined;
  /** Time of a token that it reads, in that of one that its generator writes; counts until both have been measured. */
  readonly readingCost?: number | undefined;
  /** Its rewards are a checker's word and no estimate: a score at the threshold accepts an answer. */
  readonly exact?: boolean;
}

export interface VerifierLoad {
  readonly waiting: number;
  readonly running?: number;
  readonly scoreMs?: number;
  readonly healthy: boolean;
  /** Why it cannot work now, for people to read. */
  readonly trouble?: string;
}

export interface Verifier {
  readonly capabilities: VerifierCapabilities;
  connect(post: (message: VerifierMessage) => void): void;
  score(requests: readonly ScoreRequest[]): void;
  cancel(requests: readonly RequestId[]): void;
  update?(request: RequestId, urgency: Urgency): void;
  release(search: string): void;
  load(): VerifierLoad;
  close(): Promise<void>;
}
