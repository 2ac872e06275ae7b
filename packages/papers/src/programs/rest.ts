// MCTS* of ReST-MCTS* (Zhang, Zhoubian, Hu, Yue, Dong, Tang: arXiv 2406.03816, §3 and algorithm 2). A rollout stops before the end of a path:
// it expands a leaf, takes the new step with the highest value v, plays a few greedy steps from there, which are then discarded, and backs
// up (1 − α) v + α · the highest value on the way. The value of an inner node is the mean of its children's, weighted by their
// visits; selection is UCT on it. The value of a step is the verifier's score of the partial solution that it ends. Played steps
// are probes at the step, no part of any path.

import {
  defineProgram,
  type MctsOptions,
  mctsDefaults,
  type Play,
  type Program,
  playMcts,
} from '@coppice/core/program';
import { type Aggregation, extendScore, greedySampling, type Node, type ProbeDraw } from '@coppice/core/tree';

/** α and c are the authors' values. */
const playedWeight = 0.5;
const exploration = 0.7;

interface RestOptions
  extends Pick<MctsOptions, 'rollouts' | 'branching' | 'maxDepth' | 'maxPathTokens' | 'sampling' | 'choose'> {
  /** Greedy steps (temperature 0) that a rollout plays and discards; 0 uses the verifier's score alone. */
  readonly playedSteps: number;
}

export const rest = defineProgram({
  name: 'rest',
  summary: 'MCTS* of ReST-MCTS*: rollouts of a few forgotten steps, values backed up by visits',
  needsVerifier: true,
  expandsOnce: true,
  takesTemperature: true,
  options: {},
  create: (size) => createRest(size),
});

/** Three played steps are the authors' value. */
const restDefaults: RestOptions = { ...mctsDefaults, branching: 3, playedSteps: 3 };

export function createRest(given: Partial<RestOptions> = {}): Program {
  const options = { ...restDefaults, ...given };
  return playMcts(rest, { ...mctsDefaults, ...options, selection: 'uct', exploration }, playOf(options.playedSteps));
}

function playOf(playedSteps: number): Play {
  const own = (node: Node, aggregation: Aggregation) => {
    const [step, ...played] = valuesFrom(node, aggregation);
    return played.length === 0 ? step! : (1 - playedWeight) * step! + playedWeight * Math.max(...played);
  };
  return {
    probe: (node) => nextPlayed(node, playedSteps),
    worth: ({ aggregation }, node) => own(node, aggregation),
    value: (node, aggregation) => backedUp(node, (each) => own(each, aggregation)),
  };
}

/** The next greedy step; undefined after the last one, after the end of an answer, or after a failure. */
function nextPlayed(node: Node, steps: number): ProbeDraw | undefined {
  const index = node.probes?.size ?? 0;
  const last = node.probes?.get(index - 1);
  const isOver = index > 0 && (last === undefined || last.ends === true);
  if (node.terminal || index >= steps || isOver) return undefined;
  const after = Array.from({ length: index }, (_, at) => at);
  return { index, sampling: greedySampling, manner: { after, scored: true } };
}

/** v of an inner node: Σ n v / Σ n over its children; its own value while no child was visited. */
function backedUp(node: Node, own: (node: Node) => number): number {
  const visited = node.children.filter(({ visits }) => visits > 0);
  if (visited.length === 0) return own(node);
  const visits = visited.reduce((sum, child) => sum + child.visits, 0);
  return visited.reduce((sum, child) => sum + child.visits * backedUp(child, own), 0) / visits;
}

/** Path scores up to the step and up to each step played after it. */
function valuesFrom(node: Node, aggregation: Aggregation): number[] {
  const values = [node.score];
  const played = Array.from(node.probes?.values() ?? []).flatMap((reply) => reply?.reward ?? []);
  for (const [at, reward] of played.entries())
    values.push(extendScore(aggregation, values.at(-1)!, node.depth + at + 1, reward));
  return values;
}
