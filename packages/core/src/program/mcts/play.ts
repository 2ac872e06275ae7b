// What the variants of MCTS do in their own way; everything else they have in common (mcts.ts). All of it are pure functions of
// nodes, so that a rollout goes on from a tree read back from its log.

import type { Aggregation } from '../../tree/aggregate.ts';
import type { Node } from '../../tree/node.ts';
import type { Manner } from '../../tree/step.ts';
import type { Inquiry } from '../../tree/strand.ts';
import type { Worth } from '../growth.ts';

export interface Play {
  /** How the children of a node are asked for, where not as plain steps. */
  manner?(node: Node): Manner | undefined;
  /** The child that a rollout follows; the one with the highest reward unless it says so. */
  next?(children: readonly Node[]): Node | undefined;
  /** A rollout ends at the first new step, when nothing is left to be asked there; without it a rollout goes on to the end of its path. */
  inquiry?(node: Node): Inquiry | undefined;
  /** What a rollout that ends is worth; the score of its path unless it says so. */
  readonly worth?: Worth;
  /** Q, where it is not the mean of what was backed up. */
  value?(node: Node, aggregation: Aggregation): number;
}

/** Where a rollout completed an expansion that was cut, the children that came before count like its own. Of equals the one with the lowest key: children stand in the order of their keys. */
export function highestReward(children: readonly Node[]): Node | undefined {
  let best: Node | undefined;
  for (const node of children) {
    if (best === undefined || (node.reward ?? 0) > (best.reward ?? 0)) best = node;
  }
  return best;
}
