// The calibrated exit: a search is settled once more work is unlikely to make its answer right. How likely it is says a logistic curve over
// nine readings of the tree, whose weights were fitted on labelled questions of the same model and program (src/calibration): plain numbers
// that a person can read, and nothing else is learned. Without such a fit the rule does not exist. Reads the tree alone, never the clock.

import { isComplete, mayGrow, type Node } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';
import { requireBound } from './bound.ts';
import { type ExitRule, readable, type SearchView } from './exit.ts';

export const hazardFeatures = [
  'incumbent', // score of the best completed path, over the threshold
  'runnerUp', // the same of the best one with another answer; 0 where there is none
  'viableLeaves', // leaves that could still beat the incumbent, as log(1 + n)
  'bestLeaf', // score of the best of them; 0 where there is none
  'rollouts', // completed and pruned, as log(1 + n)
  'firstReward', // best reward of a first step
  'spread', // standard deviation of what rollouts have scored
  'openStrands', // as log(1 + n)
  'paths', // completed paths, as log(1 + n)
] as const;
export type HazardFeature = (typeof hazardFeatures)[number];
/** In the order of the features. */
export type HazardReading = readonly number[];

export interface HazardModel {
  readonly bias: number;
  readonly weights: Readonly<Record<HazardFeature, number>>;
  /** The search is settled below this probability. */
  readonly below: number;
}

export const hazardRuleName = 'hazard';

export function hazardExit(model: HazardModel): ExitRule {
  return {
    name: hazardRuleName,
    needsBound: true,
    check(view) {
      const reading = readHazard(view);
      const chance = reading === undefined ? 1 : chanceOf(model, reading);
      if (reading === undefined || chance >= model.below) return undefined;
      const named = hazardFeatures.map((name, at) => [name, readable(reading[at]!)] as const);
      const evidence = { chance: readable(chance), below: model.below, ...Object.fromEntries(named) };
      return { kind: 'settled', rule: hazardRuleName, evidence };
    },
  };
}

/** The probability that more work makes the answer right. */
export function chanceOf({ bias, weights }: HazardModel, reading: HazardReading): number {
  const sum = hazardFeatures.reduce((total, name, at) => total + weights[name] * reading[at]!, bias);
  return 1 / (1 + Math.exp(-sum));
}

/** Undefined before a first path is completed, and where nothing scores. */
export function readHazard({
  tree,
  limits: { threshold },
}: Pick<SearchView, 'tree' | 'limits'>): HazardReading | undefined {
  requireBound(hazardRuleName, tree.aggregation);
  const { best, closed, root, strands } = tree;
  if (best?.reward === undefined) return undefined;
  const { viable, bestLeaf, paths, runnerUp } = survey(tree, best);
  const log = (count: number) => Math.log(1 + count);
  const rollouts = log(closed.completed + closed.pruned);
  const scores = [best.score / threshold, runnerUp / threshold];
  return [...scores, log(viable), bestLeaf, rollouts, firstReward(tree), spreadOf(root), log(strands.size), log(paths)];
}

function survey({ nodes }: Tree, best: Node) {
  let [viable, bestLeaf, paths, runnerUp] = [0, 0, 0, 0];
  for (const node of nodes) {
    if (node.score > best.score && mayGrow(node)) {
      viable += 1;
      bestLeaf = Math.max(bestLeaf, node.score);
    }
    if (!isComplete(node)) continue;
    paths += 1;
    if ((node.group ?? node.answer) !== (best.group ?? best.answer)) runnerUp = Math.max(runnerUp, node.score);
  }
  return { viable, bestLeaf, paths, runnerUp };
}

function firstReward({ root }: Tree): number {
  return root.children.reduce((best, { reward = 0 }) => Math.max(best, reward), 0);
}

function spreadOf({ visits, value, squares }: Tree['root']): number {
  return visits === 0 ? 0 : Math.sqrt(Math.max(0, squares / visits - (value / visits) ** 2));
}
