// The closed set of events of which a tree is a fold. Plain data, complete: a log of these is the search, and replaying
// it gives the same tree, counters and strands. Nothing here may refer to time, engines or leases (see runtime events).

import type { FaultCode } from '../base/fault.ts';
import type { Aggregation } from './aggregate.ts';
import type { FormKey, NodeKey } from './keys.ts';
import type { Manner, Sampling, Step } from './step.ts';

/** Dense from 0 (the root) in the order in which nodes came to be. */
export type NodeId = number;
/** Dense from 0 in the order of opening, per search. */
export type StrandId = number;

interface Shoot {
  /** Stored, not worked out by the fold: a log whose texts are erased must still fold to the same tree. */
  readonly key: NodeKey;
  readonly index: number;
  readonly step: Step;
  /** Missing where the program needs no verifier. */
  readonly reward?: number | undefined;
  /** Why the verifier gave this reward, in words, where it says so. */
  readonly feedback?: string | undefined;
  /** It gets no child: the model ended its answer, or the path is as long as it may be. */
  readonly terminal: boolean;
  readonly answer?: string | undefined;
}

export interface Growth extends Shoot {
  readonly parent: NodeId;
  /** Open answers that mean the same, by the key of the first. Decided when the child joins the tree: no embedder is asked again. */
  readonly group?: NodeKey | undefined;
}

/** A child that no strand waits for. Its parent, a node or another ghost, is named by key: ghosts have no number. */
export interface Ghost extends Shoot {
  readonly parentKey: NodeKey;
  /** Form of its draw: it answers only an ask for the same draw. */
  readonly form: FormKey;
}

/** A reply of the model in the middle of a path: a reading of a node, no step of any path. */
export interface ProbeReply {
  readonly text: string;
  readonly tokens: number;
  /** False where it was cut by its limit before it ended: what it answers may be half of an answer. */
  readonly whole: boolean;
  readonly answer?: string;
  /** Entropy of its first token, in nats; missing where the engine does not say. */
  readonly entropy?: number;
  /** The verifier's reward for it as a step; and whether the model ended its answer with it. */
  readonly reward?: number;
  readonly ends?: true;
  /** Its writer, where that is not the search's own model. */
  readonly model?: string;
}

/** Scores that earlier searches of the same model and verifier have shown: how many, their sum and that of their squares. Old ones may count for less than one. */
export interface ScoreSums {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** Scores that a search begins with; the program gives the names their meaning. */
export type Learned = Readonly<Record<string, ScoreSums>>;

/** Costs of going on (readings/worth.ts). */
export interface Terms {
  /** Least worth of a token: that of its effort, or more under load. */
  readonly price: number;
  /** The judge of samples, where there is one. */
  readonly judge?: Judging | undefined;
  /** Strands were idle when it began: it waits for no more waves than it must. */
  readonly hurried?: true | undefined;
  /** Few waves fit into the time that is left: the judge reads each sample as it comes. */
  readonly late?: true | undefined;
  /** Tokens that a sample costs at the least, where samples are turns of an agent: if none of the first means anything, one repair is drawn. */
  readonly least?: number | undefined;
  /** Tokens of a sample, as the model's searches before had them. */
  readonly usual?: number | undefined;
  /** Set where it branches (readings/branching.ts): fresh samples of its first wave. */
  readonly branches?: number | undefined;
}

export interface Judging {
  /** Cost of a token that it reads, in generated ones. */
  readonly cost: number;
  /** s of a weight odds^s: 0 where it is not believed. */
  readonly trust: number;
  /** No audit knows it yet: it reads all samples of a split vote for one. */
  readonly isNew?: true | undefined;
}

export const closings = ['completed', 'pruned', 'preempted', 'failed', 'ended'] as const;
/** `completed` and `pruned` back the score up; `ended`: its search exited, or its program has no more use for it. */
export type Closing = (typeof closings)[number];

export type TreeEvent =
  /** `fullAt`: a tree that grows draw by draw has nodes full at so many draws. `learned`: what earlier searches taught the program. */
  | {
      readonly type: 'planted';
      readonly aggregation: Aggregation;
      readonly fullAt?: number | undefined;
      readonly learned?: Learned | undefined;
    }
  /** Terms of a search that weighs what it does next; each replaces those before. */
  | ({ readonly type: 'priced' } & Terms)
  | { readonly type: 'opened'; readonly strand: StrandId; readonly node: NodeId }
  | {
      readonly type: 'asked';
      readonly strand: StrandId;
      readonly node: NodeId;
      readonly indices: readonly number[];
      readonly sampling: Sampling;
      readonly manner?: Manner;
    }
  | ({ readonly type: 'grown'; readonly node: NodeId } & Growth)
  /** The ghost of this draw becomes a node; what it brings stands in its `ghosted`. */
  | {
      readonly type: 'adopted';
      readonly node: NodeId;
      readonly parent: NodeId;
      readonly index: number;
      readonly group?: NodeKey | undefined;
    }
  /** A twin: one more draw of a node that is there. A ghost of this draw is gone. */
  | {
      readonly type: 'merged';
      readonly into: NodeId;
      readonly parent: NodeId;
      readonly index: number;
      readonly tokens: number;
    }
  /** `model`: whose engine failed it, where its draw named one; missing where the verifier did. */
  | {
      readonly type: 'withered';
      readonly parent: NodeId;
      readonly index: number;
      readonly code: FaultCode;
      readonly model?: string | undefined;
    }
  | ({ readonly type: 'ghosted' } & Ghost)
  /** The model is to be asked at the node where the strand stands. Probes of a node are numbered apart from its children. */
  | {
      readonly type: 'probing';
      readonly strand: StrandId;
      readonly node: NodeId;
      readonly index: number;
      readonly sampling: Sampling;
      readonly manner: Manner;
    }
  /** The reply; without one the probe failed, with a code where the draw named a model whose engine did. */
  | {
      readonly type: 'probed';
      readonly node: NodeId;
      readonly index: number;
      readonly reply?: ProbeReply | undefined;
      readonly code?: FaultCode | undefined;
      readonly model?: string | undefined;
    }
  | { readonly type: 'moved'; readonly strand: StrandId; readonly node: NodeId }
  /** `value`: what is backed up in the place of the score; with it a rollout is complete at a node that may grow. */
  | {
      readonly type: 'closed';
      readonly strand: StrandId;
      readonly closing: Closing;
      readonly value?: number | undefined;
    };

export type EventOf<Type> = Extract<TreeEvent, { readonly type: Type }>;

export function plantedEvent(aggregation: Aggregation, fullAt?: number, learned?: Learned) {
  return { type: 'planted', aggregation, fullAt, learned } as const;
}

export type FoldEvent = EventOf<'grown' | 'adopted' | 'merged' | 'withered'>;

const foldTypes: ReadonlySet<string> = new Set(['grown', 'adopted', 'merged', 'withered']);

export function isFold(event: { readonly type: string }): event is FoldEvent {
  return foldTypes.has(event.type);
}
