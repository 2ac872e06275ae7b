// The chance that a path reaches a score. P0 §4.1 gives no model; this is ours. Future rewards are independent and distributed like those on the
// paths that strands have taken. Under `product` their logarithms are normal, with mean and variance shrunk towards a hopeful prior, so that few
// data prune nothing. Under `minimum` each clears the target with the share of rewards that did, shrunk in the same way. The number of steps
// to come is that of the mean completed path.

import type { Aggregation, Node, Tree } from '@coppice/core/tree';

/** The prior: as if this many steps had been seen, rewarded 0.95 (a step of a path that wins), give or take 0.2 in log. */
const priorSteps = 4;
const priorLogMean = Math.log(0.95);
const priorLogVariance = 0.2 ** 2;
/** A reward of 0 would make the mean of logarithms meaningless; nothing below this tells more than this. */
const leastReward = 0.01;

export type Experience = ReturnType<typeof experience>;

/**
 * Reads the steps of strands' paths, each once: the rewards that a strand meets if it picks its best child.
 * `target`: the score to reach. `clearing`: share of these steps with a reward of at least `target`, shrunk too.
 */
export function experience(tree: Tree, target: number) {
  const logs: number[] = [];
  let clearing = 0;
  let depths = 0;
  let paths = 0;
  const walk: Node[] = [...tree.root.children];
  for (let node = walk.pop(); node !== undefined; node = walk.pop()) {
    if (node.visits === 0) continue;
    if (node.reward !== undefined) {
      logs.push(Math.log(Math.max(leastReward, node.reward)));
      if (node.reward >= target) clearing += 1;
    }
    if (node.terminal) {
      depths += node.depth;
      paths += 1;
    }
    for (const child of node.children) walk.push(child);
  }
  const meanDepth = paths === 0 ? (tree.best?.depth ?? 1) : depths / paths;
  const hopeful = priorSteps * Math.exp(priorLogMean);
  return { ...shrink(logs), clearing: (hopeful + clearing) / (priorSteps + logs.length), meanDepth };
}

/** Posterior mean and variance of a normal under its conjugate prior, in the mean. */
function shrink(logs: readonly number[]) {
  const steps = logs.length;
  const total = priorSteps + steps;
  const mean = steps === 0 ? priorLogMean : logs.reduce((sum, each) => sum + each, 0) / steps;
  const within = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const between = ((priorSteps * steps) / total) * (mean - priorLogMean) ** 2;
  const logMean = (priorSteps * priorLogMean + steps * mean) / total;
  return { steps, logMean, logVariance: (priorSteps * priorLogVariance + within + between) / total };
}

/** P(final score >= target) of a path now at `score` with `steps` to come. */
export function chanceToReach(
  aggregation: Aggregation,
  score: number,
  target: number,
  steps: number,
  past: Experience,
): number {
  if (score < target) return 0;
  if (target <= 0) return 1;
  if (aggregation === 'minimum') return past.clearing ** steps;
  const room = Math.log(target / score);
  // The mean is itself uncertain, and equally for all the steps to come: that part grows with the square of their number.
  const variance = past.logVariance * (steps + steps ** 2 / (priorSteps + past.steps));
  return 1 - normalBelow((room - steps * past.logMean) / Math.sqrt(variance));
}

/** The standard normal distribution function (Abramowitz and Stegun 26.2.17, error below 1e-7). */
export function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const upper = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
  return z >= 0 ? 1 - upper : upper;
}
