// The contract of verifiers: score the last step of paths, in batches, on a queue and at a cost of their own. Each request
// is answered by exactly one `score` or `fault` message. A reward is a number from 0 to 1, with words (`feedback`) where it can say why; the verifier says for which
// aggregation along a path its rewards were made. Steps of one path that wait together, the parent of one being the key of
// another, are one call where the verifier `looksAhead`: what comes before them is computed once. `held` and `taken` are as an engine says them. Excluded: aggregating,
// judging whole answers against gold, retries by the caller. Its conformance suite is testing/verifier-cases.ts.

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
  /** Tests that came with the question, for a verifier that runs tests. */
  readonly tests?: string;
  /** A rule reads the promise of the step as well; a verifier that has no such reading leaves it out. */
  readonly promise?: boolean;
}

export interface ScoreUsage {
  readonly computedTokens: number;
  readonly cachedTokens: number;
}

/** Of a reward that no model had to compute. */
export const noUsage: ScoreUsage = { computedTokens: 0, cachedTokens: 0 };

export type VerifierMessage =
  | {
      readonly type: 'score';
      readonly request: RequestId;
      readonly reward: number;
      /** The second reading, 0 to 1: the probability that a sample from here ends right. */
      readonly promise?: number;
      /** Why, in words: they stand in the log, and a program may put them to the model. */
      readonly feedback?: string;
      readonly usage: ScoreUsage;
    }
  | { readonly type: 'fault'; readonly request: RequestId; readonly fault: Fault }
  | Custody;

export interface VerifierCapabilities {
  readonly name: string;
  /** The aggregation its rewards were made for; the negative exit and the bound obey it. */
  readonly aggregation: Aggregation;
  /** Scores of a prefix are not computed again. */
  readonly reusesPrefix: boolean;
  /** Scores several steps of a path in one pass (P4 §4.1.3). */
  readonly looksAhead?: boolean;
  /** Of one that runs processes: what shuts them in, and what a hostile one could still do. */
  readonly containment?: { readonly by: string; readonly open: readonly string[] };
  readonly readsLogprobs?: boolean;
}

export interface VerifierLoad {
  readonly waiting: number;
  /** Steps that are being scored; undefined where it does not say. */
  readonly running?: number;
  /** Recent mean time from asking for a score to having it; missing before the first. */
  readonly scoreMs?: number;
  readonly healthy: boolean;
  /** Why it cannot work now, for people to read; missing while it can. */
  readonly trouble?: string;
}

export interface Verifier {
  readonly capabilities: VerifierCapabilities;
  connect(post: (message: VerifierMessage) => void): void;
  score(requests: readonly ScoreRequest[]): void;
  cancel(requests: readonly RequestId[]): void;
  /** As an engine's. */
  update?(request: RequestId, urgency: Urgency): void;
  release(search: string): void;
  load(): VerifierLoad;
  close(): Promise<void>;
}
