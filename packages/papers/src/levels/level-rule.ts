// The rule of a breadth-first program: from a complete level, which paths are finished and which nodes get how many children next; and the
// options that all of them have. A rule reads nodes and their keys, and nothing else.

import type { Knobs } from '@coppice/core/base';
import { type GrowthLimits, type ProgramSize, usualSize } from '@coppice/core/program';
import { byKey, type Manner, type Node, type ProbeDraw } from '@coppice/core/tree';
import type { LevelParent } from './level-parents.ts';

export interface LevelOptions extends GrowthLimits, Pick<ProgramSize, 'sampling' | 'choose'> {
  /** Steps at the beginning of a path that have a limit of their own, and that limit; 0 steps is off. */
  readonly firstSteps: number;
  readonly firstStepTokens: number;
}

export const levelDefaults: LevelOptions = { ...usualSize, firstSteps: 0, firstStepTokens: 64 };

/** Varying granularity (P4 §3.1): the beginning of a path is verified in smaller pieces than the rest. */
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

/** All of them: they need scores, and no node gets more children once its level is complete. */
export const levelShape = { needsVerifier: true, expandsOnce: true, takesTemperature: true } as const;

/**
 * A beam is grown from the root to its end, a rollout from the leaf it took up: P0's figure 2 sets 8 beams beside
 * 12 rollouts; half as many as rollouts is our choice, at every size.
 */
export const rolloutsPerBeam = 2;

export interface NextLevel {
  /** Ends of finished paths, all of them terminal; one that stands for several paths appears as often. */
  readonly finished: readonly Node[];
  readonly going: readonly LevelParent[];
  /** Width left for the levels below. */
  readonly room: number;
}

export interface LevelRule {
  /** Most nodes of a level: the natural width of the program. */
  readonly width: number;
  readonly rootDraws: number;
  /** Children of the root in each round, where the root is grown again when a round is over. The room of a round is as many. */
  readonly rounds?: readonly number[];
  /** Gives what follows a complete level; `room` is `width` at first, then what this said last. */
  next(level: readonly LevelParent[], room: number): NextLevel;
  /** The next level as it will probably be while so many children are missing, where every choice depends on all of them. */
  likely?(level: readonly LevelParent[], room: number, missing: number): readonly LevelParent[];
  /** Manner of a node's children, where they are no plain steps. */
  manner?(node: Node): Manner | undefined;
  /** Asks the model to list the children of a node; undefined once it has named some (`namedSteps`), or was asked often enough. */
  list?(node: Node): ProbeDraw | undefined;
}

/** By score, highest first; equals in the order of their keys, never of their arrival. */
export function byScore(a: Node, b: Node): number {
  return b.score - a.score || byKey(a, b);
}
