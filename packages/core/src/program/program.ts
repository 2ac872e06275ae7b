// The contract of programs: the algorithm that decides what to grow. A program is pure and owns nothing: every lasting
// fact is an event in the tree, so that a program goes on from a tree read back from a log as if nothing had happened.
// Excluded on purpose: time, chance, budgets shared with other searches, engines, when to stop (exit rules) and how many
// strands may be open (the scheduler). A program that throws ends its own search as `failed`, and no other (runtime/guard).
// Its conformance suite is testing/program/program-cases.ts.

import type { Fault } from '../base/fault.ts';
import type { Answer } from '../log/end.ts';
import type { Learned, NodeId, ProbeReply, StrandId } from '../tree/events.ts';
import type { FormKey, NodeKey } from '../tree/keys.ts';
import type { Node } from '../tree/node.ts';
import type { Belief } from '../tree/readings/certaindex.ts';
import type { Manner, Sampling, Step } from '../tree/step.ts';
import type { Tree } from '../tree/tree.ts';

/** Some steps wanted below a node: one draw for each child index (`drawKey` in tree/keys.ts). */
export interface Expansion {
  readonly node: Node;
  readonly indices: readonly number[];
  readonly sampling: Sampling;
  /** Set where it is not the plain next step. */
  readonly manner?: Manner | undefined;
  /** Asks what the model would say here, for no child: indices are those of the node's probes. */
  readonly probe?: true | undefined;
}

export interface Ask extends Expansion {
  readonly strand: StrandId;
}

/**
 * The result of a probe; without a reply it failed. Its reply is no step of a path. It is scored where its manner says `scored`; later
 * probes of the node may go on from it (`after`), and children may be made of the steps that it names (`proposed`).
 */
export interface ProbeOutcome {
  readonly probe: true;
  readonly node: NodeId;
  readonly index: number;
  readonly reply?: ProbeReply | undefined;
  /** Set for a failed probe that named a model whose engine is to blame. */
  readonly fault?: Fault | undefined;
  readonly model?: string | undefined;
}

/** There is one per child or probe. Late, double, reordered and failed ones are normal. */
export type Outcome = ChildOutcome | ProbeOutcome;

export type ChildOutcome = ChildPlace & (ChildGrown | ChildFailed);

interface ChildPlace {
  readonly probe?: never;
  readonly node: NodeId;
  readonly index: number;
  /** Its parent as it would be, while that is a ghost and has no number: `node` says nothing then. */
  readonly below?: Node;
}

interface ChildGrown {
  readonly ok: true;
  /** Form of its draw, should no strand wait for it any more. */
  readonly form: FormKey;
  readonly step: Step;
  /** Missing only for a program that needs no verifier. */
  readonly reward?: number | undefined;
  readonly feedback?: string | undefined;
  /** Answer of the whole path, where this step ends it. */
  readonly answer?: string | undefined;
  readonly group?: NodeKey | undefined;
}

interface ChildFailed {
  readonly ok: false;
  readonly fault: Fault;
  /** Model whose engine failed, where the draw named one. */
  readonly model?: string | undefined;
}

/** The level that a breadth-first program grows now: until it is complete, nothing is asked for but below its nodes. */
export interface OpenLevel {
  /** Draws of each node, by key: a look ahead has a copy of the tree. Child indices are below that number. */
  readonly draws: ReadonlyMap<NodeKey, number>;
  /** The next level depends on every child of this one: a part of them says little. */
  readonly needsWhole: boolean;
}

/** True where a prune rule, unknown to the program, would end a strand on this node at once. */
export type Doomed = (node: Node) => boolean;

export type StepReading = 'logprobs';

/** Limits of the paths that the runtime must know: no step is asked to be longer than what is left of `maxPathTokens`. */
export interface PathLimits extends GrowthLimits {
  /** The program reads nothing of a path before its end: then a path may be one draw, and only its end is scored. */
  readonly drawnWhole?: true;
}

export interface GrowthLimits {
  /** A node at this depth ends its path even if the model would go on. */
  readonly maxDepth: number;
  /** And so does one whose path has this many tokens. */
  readonly maxPathTokens?: number | undefined;
  /** A whole answer may get children too: replies to turns of the user's side. */
  readonly answersGoOn?: boolean;
}

export interface Program {
  readonly name: string;
  readonly needsVerifier: boolean;
  /** Readings that it decides by: the mean log probability of a step, how sure the model was of its tokens. Engines tell only what is read. */
  readonly reads?: readonly StepReading[];
  /**
   * No node gets more children after its expansion is answered, so that only leaves grow: the negative exits need it. One
   * that was preempted is not answered: it is completed before anything is asked below it.
   */
  readonly expandsOnce: boolean;
  /** It grows draw by draw, and a node is full at so many: then leaves are known though nodes get children at any time. */
  readonly fullAt?: number;
  readonly paths?: PathLimits;
  /** Strands that it has open without a boost: 1 for MCTS, the beam width, the number of samples. */
  readonly naturalWidth: number;

  /** Strands that it could have open now, open ones included; at least one. The limit of a boost. By its tree alone. */
  demand(tree: Tree): number;

  /**
   * Continues an open strand that is ready, else opens one if it may, else gives nothing. Opens at most one, and none at a
   * node that is `doomed`.
   */
  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined;

  /**
   * Folds one outcome in, and moves or closes the strand that it completes. Gives whether the tree is now as rules may read
   * it: an expansion is complete or a probe was answered or, where the search is breadth-first, a whole level is complete.
   */
  tell(tree: Tree, outcome: Outcome): boolean;

  /** Probable next asks, most likely first; leaves the tree untouched. */
  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[];

  /** Only for growth level by level: what was foreseen elsewhere is given up. */
  level?(tree: Tree): OpenLevel;

  /** Its votes, its certainty and its own reason to end; `treeBelief` unless it says so. */
  belief?(tree: Tree): Belief;

  /**
   * Makes what later searches of the same model and verifier begin with, when a search has ended: from what they would have begun with, and
   * what its tree has shown. They read it as `tree.learned`.
   */
  learn?(tree: Tree, before: Learned | undefined): Learned | undefined;

  answer(tree: Tree): Answer | undefined;
}
