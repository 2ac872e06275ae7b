// Lookahead (Snell, Lee, Xu, Kumar: "Scaling LLM test-time compute optimally", arXiv 2408.03314, §5.1): before the steps of a level
// are compared, each is rolled on by some steps at temperature 0, and its path counts with the score that it has after them.
// What was rolled is forgotten: probes at the step, no part of any path, and no vote.

import type { Knob } from '../../base/knob.ts';
import { type Aggregation, extendScore } from '../../tree/aggregate.ts';
import type { Node } from '../../tree/node.ts';
import { nextRolled, rolledRewards } from '../rolled.ts';
import type { Lookahead } from './levels.ts';

export const lookaheadKnob = {
  default: 0,
  low: 0,
  high: 100,
  whole: true,
  internal: true,
  unit: 'steps',
  why: 'by which beam and dvts roll each candidate on, at temperature 0, before they compare: 0 is off; every candidate costs so many steps more',
} as const satisfies Knob;

/** Nothing where nothing is rolled. */
export function lookingAhead(steps: number): { readonly lookahead?: Lookahead } {
  return steps === 0 ? {} : { lookahead: { due: (node) => nextRolled(node, steps), score: rolledScore } };
}

/** The score of the path with what was rolled behind it. */
function rolledScore(node: Node, aggregation: Aggregation): number {
  let { score, depth } = node;
  for (const reward of rolledRewards(node)) {
    depth += 1;
    score = extendScore(aggregation, score, depth, reward);
  }
  return score;
}
