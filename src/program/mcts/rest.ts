// MCTS* of ReST-MCTS* (Zhang, Zhoubian, Hu, Yue, Dong, Tang: arXiv 2406.03816, §3 and algorithm 2). A rollout does not go to the end of a
// path: it expands a leaf, takes the new step with the highest value v, plays it on by a few greedy steps that are forgotten, and
// backs up (1 − α) v + α · the highest value on the way. The value of an inner node is the mean of its children's, weighted by
// their visits; selection is UCT on it. The value of a step is that of the partial solution which it ends.

import { defaultsOf, type Knobs, type OptionsOf } from '../../base/knob.ts';
import { type Aggregation, extendScore } from '../../tree/aggregate.ts';
import { type Node, pathTo } from '../../tree/node.ts';
import { defineProgram } from '../definition.ts';
import type { Program } from '../program.ts';
import { nextRolled, rolledRewards } from '../rolled.ts';
import { type MctsOptions, mctsDefaults, playMcts } from './mcts.ts';
import type { Play } from './play.ts';

const restKnobs = {
  playedSteps: {
    default: 3,
    low: 0,
    high: 100,
    whole: true,
    internal: true,
    unit: 'steps',
    why: "by which a rollout of rest is played on at temperature 0, to be forgotten: the authors' value; 0 takes the verifier's word",
  },
  playedWeight: {
    default: 0.5,
    low: 0,
    high: 1,
    internal: true,
    unit: 'share',
    why: "α of rest: how much the best value that was played to counts beside the step's own; the authors' value",
  },
  restExploration: {
    default: 0.7,
    low: 0,
    high: 1000,
    internal: true,
    unit: 'value',
    why: "c of UCT in rest: the authors' value",
  },
  stepValue: {
    default: 'score',
    values: ['score', 'quality'],
    internal: true,
    unit: 'rule',
    why: "v of rest: 'score' is the score of the path, for a verifier that judges partial solutions; 'quality' is the authors' weighted reward, which grows with the part of the solution that is done",
  },
  solutionSteps: {
    default: 8,
    low: 1,
    high: 1000,
    whole: true,
    internal: true,
    unit: 'steps',
    why: "of a usual solution: what stepValue 'quality' measures the way still to go by",
  },
} as const satisfies Knobs;

type RestOptions = Pick<MctsOptions, 'rollouts' | 'branching' | 'maxDepth' | 'maxPathTokens' | 'sampling' | 'choose'> &
  OptionsOf<typeof restKnobs>;

export const rest = defineProgram({
  name: 'rest',
  summary: 'MCTS* of ReST-MCTS*: rollouts of a few forgotten steps, values backed up by visits',
  needsVerifier: true,
  expandsOnce: true,
  takesTemperature: true,
  options: restKnobs,
  create: (size, options) => createRest({ ...size, ...options }),
});

const restDefaults: RestOptions = { ...mctsDefaults, ...defaultsOf(restKnobs), branching: 3 };

export function createRest(given: Partial<RestOptions> = {}): Program {
  const options = { ...restDefaults, ...given };
  const { restExploration: exploration } = options;
  return playMcts(rest, { ...mctsDefaults, ...options, selection: 'uct', exploration }, playOf(options));
}

function playOf({ playedSteps, playedWeight, ...options }: RestOptions): Play {
  const own = (node: Node, aggregation: Aggregation) => {
    const [step, ...played] = valuesFrom(node, aggregation, options);
    return played.length === 0 ? step! : (1 - playedWeight) * step! + playedWeight * Math.max(...played);
  };
  return {
    inquiry: (node) => nextRolled(node, playedSteps),
    worth: ({ aggregation }, node) => own(node, aggregation),
    value: (node, aggregation) => backedUp(node, (each) => own(each, aggregation)),
  };
}

/** v of an inner node: Σ n v / Σ n over its children; of one without a visited child its own. */
function backedUp(node: Node, own: (node: Node) => number): number {
  const visited = node.children.filter(({ visits }) => visits > 0);
  if (visited.length === 0) return own(node);
  const visits = visited.reduce((sum, child) => sum + child.visits, 0);
  return visited.reduce((sum, child) => sum + child.visits * backedUp(child, own), 0) / visits;
}

/** The value of the step, and of each step that was played behind it. */
function valuesFrom(node: Node, aggregation: Aggregation, options: Pick<RestOptions, 'stepValue' | 'solutionSteps'>) {
  const played = rolledRewards(node);
  if (options.stepValue === 'quality') {
    const rewards = pathTo(node).map(({ reward = 0 }) => reward);
    return qualities([...rewards, ...played], options.solutionSteps).slice(Math.max(0, rewards.length - 1));
  }
  const values = [node.score];
  for (const [at, reward] of played.entries())
    values.push(extendScore(aggregation, values.at(-1)!, node.depth + at + 1, reward));
  return values;
}

/**
 * v of ReST-MCTS* §3.1 after each step: v ← max(0, v + (1 − v) / (m + 1) · (1 − 2 r)), where m are the steps still to go and r is
 * the chance that the step is wrong, 1 less the reward. Right steps alone come to 1 in as many as a solution has.
 */
export function qualities(rewards: readonly number[], solutionSteps: number): number[] {
  let value = 0;
  return rewards.map((reward, at) => {
    const left = Math.max(0, solutionSteps - (at + 1));
    value = Math.max(0, value + ((1 - value) / (left + 1)) * (2 * reward - 1));
    return value;
  });
}
