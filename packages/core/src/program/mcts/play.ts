// The parts in which variants of MCTS differ; everything else they have in common (mcts.ts). All of it are pure functions of
// nodes, so that a rollout goes on from a tree read back from its log.

import type { Aggregation } from '../../tree/aggregate.ts';
import type { Node } from '../../tree/node.ts';
import type { Manner } from '../../tree/step.ts';
import type { ProbeDraw } from '../../tree/strand.ts';
import type { Worth } from '../growth.ts';

export interface Play {
  /** Manner of a node's children, where they are no plain steps. */
  manner?(node: Node): Manner | undefined;
  /** The child that a rollout follows; the one with the highest reward unless it says so. */
  next?(children: readonly Node[]): Node | undefined;
  /** A rollout ends at the first new step, when nothing is left to be asked there; without it a rollout goes on to the end of its path. */
  probe?(node: Node): ProbeDraw | undefined;
  /** Worth of a rollout that ends; the score of its path by default. */
  readonly worth?: Worth;
  /** Q, where it is not the mean of what was backed up. */
  value?(node: Node, aggregation: Aggregation): number;
}

/** Children that came before a cut count like the rollout's own. Ties go to the lowest key: children stand in the order of their keys. */
export function highestReward(children: readonly Node[]): Node | undefined {
  return children.toSorted((a, b) => (b.reward ?? 0) - (a.reward ?? 0))[0];
}
