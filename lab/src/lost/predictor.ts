// The lightweight predictor of long searches (P0 §4.1, which gives no form; this is ours). Each rollout is accepted with an unknown
// chance a. Before any rollout, a search whose best first-depth reward is f has a ~ Beta with mean f^γ and weight κ; n rollouts without
// acceptance leave the mean κ·f^γ / (κ + n). With R rollouts left, the expected use is (1 - (1 - a)^R) / a of them. So after
// a weak first step and several misses the search will probably use most of the rest.

import type { RunningSearch, Tree } from 'coppice';

/** γ: first rewards of 0.95, 0.8 and 0.5 give chances of 0.81, 0.41 and 0.06 for the first rollout. */
const steepness = 4;
/** κ: the first reward counts as much as four rollouts. */
const weight = 4;
/** Where nothing is known of the first depth yet. */
const unknownFirstReward = 0.8;

export function acceptanceChance(firstReward: number, misses: number): number {
  return (weight * firstReward ** steepness) / (weight + misses);
}

export function expectedRollouts(chance: number, left: number): number {
  return chance <= 0 ? left : (1 - (1 - chance) ** left) / chance;
}

/** The share of its remaining rollouts that a search is expected to use, from 0 to 1. */
export function expectedShare(search: RunningSearch): number {
  const left = Math.max(1, search.rolloutsLeft);
  const firstReward = search.tree && bestFirstReward(search.tree);
  const chance = acceptanceChance(firstReward ?? unknownFirstReward, search.observations);
  return expectedRollouts(chance, left) / left;
}

/** The predictor's input. */
export function bestFirstReward(tree: Tree): number | undefined {
  let best: number | undefined;
  for (const { reward } of tree.root.children) {
    if (reward !== undefined && (best === undefined || reward > best)) best = reward;
  }
  return best;
}
