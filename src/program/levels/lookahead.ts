// Lookahead (Snell, Lee, Xu, Kumar: "Scaling LLM test-time compute optimally", arXiv 2408.03314, §5.1): before the steps of a level
// are compared, each is rolled on by some steps at temperature 0, and its path counts with the score that it has after them.
// What was rolled is forgotten: probes at the step, no part of any path, and no vote.

import type { Knob } from '../../base/knob.ts';
import { extendScore } from '../../tree/aggregate.ts';
import type { ProbeReply } from '../../tree/events.ts';
import type { Node } from '../../tree/node.ts';
import { greedySampling } from '../../tree/step.ts';
import type { Lookahead } from './levels.ts';

export const lookaheadKnob = {
  default: 0,
  low: 0,
  high: 100,
  whole: true,
  client: 'coppice',
  unit: 'steps',
  why: 'by which beam and dvts roll each candidate on, at temperature 0, before they compare: 0 is off; every candidate costs so many steps more',
} as const satisfies Knob;

/** Undefined where nothing is rolled. */
export function lookingAhead(steps: number): { readonly lookahead?: Lookahead } {
  if (steps === 0) return {};
  const due = (node: Node) => {
    const index = node.probes?.size ?? 0;
    if (node.terminal || index >= steps || isOver(node, index)) return undefined;
    const after = Array.from({ length: index }, (_, at) => at);
    return { index, sampling: greedySampling, manner: { after, scored: true } } as const;
  };
  return { lookahead: { due, score: (node, aggregation) => rolledScore(node, aggregation) } };
}

/** The score of the path with what was rolled behind it. */
const rolledScore: Lookahead['score'] = (node, aggregation) => {
  let [score, depth] = [node.score, node.depth];
  for (const { reward } of rolledFrom(node)) {
    depth += 1;
    if (reward !== undefined) score = extendScore(aggregation, score, depth, reward);
  }
  return score;
};

/** The model has ended its answer, or has failed to go on. */
function isOver(node: Node, index: number): boolean {
  const last = node.probes?.get(index - 1);
  return index > 0 && (last === undefined || last.ends === true);
}

function rolledFrom(node: Node): ProbeReply[] {
  return Array.from(node.probes?.values() ?? []).filter((reply) => reply !== undefined);
}
