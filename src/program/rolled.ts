// Steps that are rolled on from a node at temperature 0, scored, and forgotten: probes of the node, each behind the replies of
// those before it. What lookahead compares candidates by, and what a rollout of ReST-MCTS* is.

import type { Node } from '../tree/node.ts';
import { greedySampling } from '../tree/step.ts';
import type { Inquiry } from '../tree/strand.ts';

/** The next of so many steps; undefined where they are all there, the model has ended its answer, or one could not be had. */
export function nextRolled(node: Node, steps: number): Inquiry | undefined {
  const index = node.probes?.size ?? 0;
  const last = node.probes?.get(index - 1);
  const isOver = index > 0 && (last === undefined || last.ends === true);
  if (node.terminal || index >= steps || isOver) return undefined;
  const after = Array.from({ length: index }, (_, at) => at);
  return { index, sampling: greedySampling, manner: { after, scored: true } };
}

export function rolledRewards(node: Node): number[] {
  return Array.from(node.probes?.values() ?? []).flatMap((reply) => reply?.reward ?? []);
}
