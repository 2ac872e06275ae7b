// The contract of exit rules and prune rules: pure readings of one search that end it, or one of its strands, with
// evidence in numbers a person can read. A rule never changes the tree and never looks at another search.

import { definerOf, type PlugIn } from '../base/part.ts';
import type { Evidence, Exit } from '../log/end.ts';
import type { Node } from '../tree/node.ts';
import type { Belief } from '../tree/readings/certaindex.ts';
import type { Tree } from '../tree/tree.ts';

/** A number of evidence, for people: six significant digits, so that 0.1 * 0.7 does not read 0.06999999999999999. */
export function readable(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : value;
}

export interface Limits {
  /** Score at which a completed path is accepted, P0 §5.1. */
  readonly threshold: number;
  /** Completed strands: rollouts in MCTS. */
  readonly rollouts: number;
  readonly tokens?: number;
  /** Least worth of a token while nobody waits (exit/worth.ts); nothing is weighed where unset. */
  readonly price?: number | undefined;
  /** Most that the engines' tokens may cost, in the currency of the models' prices. */
  readonly money?: number | undefined;
  /** Of its tree: memory that it may take, whatever its other limits allow. */
  readonly nodes?: number | undefined;
  /** Different answers that are wanted, each at the threshold; one unless said. */
  readonly answers?: number | undefined;
  /** A path without a readable answer is not accepted. */
  readonly marked?: boolean | undefined;
  /** Milliseconds since arrival; the best answer so far is given then. */
  readonly deadlineMs?: number;
}

export interface SearchView {
  readonly tree: Tree;
  readonly belief: Belief;
  readonly limits: Limits;
  readonly nowMs: number;
  readonly arrivalMs: number;
  readonly admittedMs: number;
  spent?(): number;
}

export interface ExitRule {
  readonly name: string;
  /** Rests on scores that only fall along a path: refuses any aggregation but product and minimum, see bound.ts. */
  readonly needsBound?: boolean;
  /** Rests on leaves being the only nodes that grow: not for a program that comes back to a node. */
  readonly needsLeaves?: boolean;
  /** Reads log probabilities of steps: engines are asked for them only where a rule, program or verifier does. */
  readonly readsLogprobs?: boolean;
  /** Looks at the clock alone, and is read at any moment; the others are read when an expansion, or a level, is complete. */
  readonly readsClock?: boolean;
  check(view: SearchView): Exit | undefined;
}

/** Why a strand that stands on this node is to end, or undefined where it may go on. */
export type Judge = (node: Node) => Evidence | undefined;

export interface PruneRule {
  readonly name: string;
  readonly needsBound?: boolean;
  readonly readsLogprobs?: boolean;
  /**
   * Passes over no leaf with a score above 0: a rollout that comes to where the rule ends it is spent there, takes no token and brings a
   * value of 0. So a search looks as often as without the rule, and not more often elsewhere (docs/decisions/0035).
   */
  readonly spends?: boolean;
  /** Judges any node of the tree as it is now; undefined while the rule ends nothing. See prune.ts. */
  judge(view: SearchView): Judge | undefined;
}

/** exits.ts and prune-bound.ts list ours; those of others stand in a policy of their own (policy/definition.ts). */
export type ExitPart = PlugIn<ExitRule>;
export type PrunePart = PlugIn<PruneRule>;

export const defineExit = definerOf<ExitRule>();
export const definePrune = definerOf<PruneRule>();
