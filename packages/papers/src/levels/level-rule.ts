// The rule of a breadth-first program: from a complete level it says which paths are finished and which nodes get how many children next.
// It reads nodes and their keys, and nothing else. The options that all of these programs have.

import type { Knobs } from '@coppice/core/base';
import { type GrowthLimits, type ProgramSize, usualSize } from '@coppice/core/program';
import { byKey, type Manner, type Node, type ProbeDraw } from '@coppice/core/tree';
import type { LevelParent } from './level-parents.ts';

export interface LevelOptions extends GrowthLimits, Pick<ProgramSize, 'sampling' | 'choose'> {
  /** Number of steps at the start of a path that have a token limit of their own; 0 is off. `firstStepTokens`: that limit. */
  readonly firstSteps: number;
  readonly firstStepTokens: number;
}

export const levelDefaults: LevelOptions = { ...usualSize, firstSteps: 0, firstStepTokens: 64 };

/** Varying granularity (P4 §3.1): the verifier sees the beginning of a path in smaller pieces than the rest. */
export const levelKnobs = {
  firstSteps: {
    default: 0,
    low: 0,
    high: 1000,
    whole: true,
    internal: true,
    unit: 'steps',
    why: 'at the beginning of a path, that are cut at firstStepTokens so that they are verified sooner: 0 is off; P4 takes 3',
  },
  firstStepTokens: {
    default: 64,
    low: 1,
    high: 100_000,
    whole: true,
    internal: true,
    unit: 'tokens',
    why: "longest of the first steps that firstSteps counts, never longer than a step may be: P4's value",
  },
} as const satisfies Knobs;

/** All level programs need scores, and a node gets no more children once its level is complete. */
export const levelShape = { needsVerifier: true, expandsOnce: true, takesTemperature: true } as const;

/**
 * A beam grows from the root to its end, a rollout only from the leaf it starts at. P0's figure 2 sets 8 beams beside 12 rollouts;
 * half as many beams as rollouts is our choice, at every size.
 */
export const rolloutsPerBeam = 2;

export interface NextLevel {
  /** Ends of finished paths, all terminal; a node that ends several paths appears once for each. */
  readonly finished: readonly Node[];
  readonly going: readonly LevelParent[];
  /** Width that remains for the levels below. */
  readonly room: number;
}

export interface LevelRule {
  /** Most nodes of a level, the natural width of the program. */
  readonly width: number;
  readonly rootDraws: number;
  /** Draws of the root in each round, for rules that grow the root again after a round; also the width of that round. */
  readonly rounds?: readonly number[];
  /** Says what follows a complete level. `room` is `width` at first, then the `room` of the last result. */
  next(level: readonly LevelParent[], room: number): NextLevel;
  /** Predicts the next level while `missing` children are still to come, for rules whose choice depends on all of them. */
  likely?(level: readonly LevelParent[], room: number, missing: number): readonly LevelParent[];
  /** How a node's children are drawn, if not as plain steps. */
  manner?(node: Node): Manner | undefined;
  /** Asks the model to list a node's children; undefined once it has named some (`namedSteps`) or was asked often enough. */
  list?(node: Node): ProbeDraw | undefined;
}

/** By score, highest first. Equal scores go by key, never by arrival. */
export function byScore(a: Node, b: Node): number {
  return b.score - a.score || byKey(a, b);
}
