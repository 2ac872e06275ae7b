// The closed set of events of which a tree is a fold. Plain data, complete: a log of these is the search, and replaying
// it gives the same tree, counters and strands. Nothing here may refer to time, engines or leases (see runtime events).

import type { FaultCode } from '../base/fault.ts';
import type { Aggregation } from './aggregate.ts';
import type { Sampling, Step } from './step.ts';

/** Dense from 0 (the root) in the order in which nodes came to be. */
export type NodeId = number;
/** Dense from 0 in the order of opening, per search. */
export type StrandId = number;

/** What a child brings with it, as a node or as a ghost. `reward` is missing where the program needs no verifier. */
export interface Growth {
  readonly parent: NodeId;
  readonly index: number;
  readonly step: Step;
  readonly reward?: number;
  readonly terminal: boolean;
  readonly answer?: string;
}

export const closings = ['completed', 'pruned', 'preempted', 'failed', 'ended'] as const;
/** `completed` and `pruned` back the score up; `ended`: its search exited, or its program has no more use for it. */
export type Closing = (typeof closings)[number];

export type TreeEvent =
  | { readonly type: 'planted'; readonly aggregation: Aggregation }
  | { readonly type: 'opened'; readonly strand: StrandId; readonly node: NodeId }
  | {
      readonly type: 'asked';
      readonly strand: StrandId;
      readonly node: NodeId;
      readonly indices: readonly number[];
      readonly sampling: Sampling;
    }
  | ({ readonly type: 'grown'; readonly node: NodeId } & Growth)
  | {
      readonly type: 'merged';
      readonly into: NodeId;
      readonly parent: NodeId;
      readonly index: number;
      readonly tokens: number;
    }
  | { readonly type: 'withered'; readonly parent: NodeId; readonly index: number; readonly code: FaultCode }
  | ({ readonly type: 'ghosted' } & Growth)
  | { readonly type: 'moved'; readonly strand: StrandId; readonly node: NodeId }
  | { readonly type: 'closed'; readonly strand: StrandId; readonly closing: Closing };
