// What the rewards of a search looked like, in two numbers that the calibrated exit reads anyway: the best reward of a first step, and the
// score of the best path over the threshold. Together they tell rewards of another world by how paths start and by what becomes of them.
// A calibration keeps their means; what differs from them by more than chance is refused (drift.ts).

import { type HazardReading, hazardFeatures, readHazard } from '../exit/hazard.ts';
import { isBound } from '../tree/aggregate.ts';
import type { Tree } from '../tree/tree.ts';

export interface RewardsSeen {
  readonly firstReward: number;
  readonly score: number;
}

const first = hazardFeatures.indexOf('firstReward');
const incumbent = hazardFeatures.indexOf('incumbent');

export function rewardsIn(reading: HazardReading): RewardsSeen {
  return { firstReward: reading[first]!, score: reading[incumbent]! };
}

/** Undefined where no path was completed, nothing scores, or scores are no bound: no calibrated exit reads such trees. */
export function rewardsOf(tree: Tree, threshold: number): RewardsSeen | undefined {
  const reading = isBound(tree.aggregation) ? readHazard({ tree, limits: { threshold, rollouts: 0 } }) : undefined;
  return reading && rewardsIn(reading);
}

export interface Moments {
  readonly mean: number;
  readonly spread: number;
}

export function momentsOf(values: readonly number[]): Moments {
  const mean = values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(squares / Math.max(1, values.length - 1)) };
}
