// Selection, P0 appendix A eq. 1 and §4.2: which child a rollout follows. Pure functions of the statistics; the rollouts
// in flight count as visits whose result is not known yet (Ñ = N + O), which sends parallel rollouts apart. With nothing
// in flight Ñ = N, and WU-PUCT is PUCT.

import { mayGrow, meanValue, type Node } from '../../tree/node.ts';

export const selections = ['puct', 'uct'] as const;
export type Selection = (typeof selections)[number];

/** Rollouts that are only imagined (foresee), by node; empty when selecting for real. */
export type Imagined = ReadonlyMap<Node, number>;

const nothingImagined: Imagined = new Map();

/**
 * The leaf that a new rollout takes up, or undefined while every leaf is terminal or being expanded. An expansion that was
 * cut is completed before anything is selected below it: siblings are compared when all of them are there.
 */
export function selectLeaf(root: Node, selection: Selection, exploration: number, imagined = nothingImagined) {
  let node = root;
  if (openings(node, imagined) <= 0) return undefined;
  while (!mayGrow(node)) node = selectChild(node, selection, exploration, imagined);
  return node;
}

/** Available leaves below a node that no imagined rollout has taken. */
function openings(node: Node, imagined: Imagined): number {
  return node.available - (imagined.get(node) ?? 0);
}

function selectChild(parent: Node, selection: Selection, exploration: number, imagined: Imagined): Node {
  const priors = selection === 'puct' ? siblingPriors(parent.children) : undefined;
  const parentVisits = parent.visits + parent.pending + (imagined.get(parent) ?? 0);
  const parentValue = meanValue(parent) ?? 0;
  let best: Node | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const [at, child] of parent.children.entries()) {
    if (openings(child, imagined) <= 0) continue;
    const visits = child.visits + child.pending + (imagined.get(child) ?? 0);
    const value = meanValue(child) ?? parentValue;
    const score =
      priors === undefined
        ? uct(value, parentVisits, visits, exploration)
        : puct(value, priors[at]!, parentVisits, visits, exploration);
    if (score > bestScore) {
      best = child;
      bestScore = score;
    }
  }
  return best!;
}

/** WU-PUCT, P0 §4.2: Q + c · P · √Ñ(s) / (1 + Ñ(s, a)). */
export function puct(value: number, prior: number, parentVisits: number, visits: number, exploration: number): number {
  return value + (exploration * prior * Math.sqrt(parentVisits)) / (1 + visits);
}

/** WU-UCT (Liu et al. 2018): Q + c · √(2 ln Ñ(s) / Ñ(s, a)); a child that nobody has tried comes first. */
export function uct(value: number, parentVisits: number, visits: number, exploration: number): number {
  if (visits === 0) return Number.MAX_VALUE;
  return value + exploration * Math.sqrt((2 * Math.log(Math.max(1, parentVisits))) / visits);
}

/** P(s, a): the softmax over siblings of the mean log probability of their tokens. */
export function siblingPriors(siblings: readonly Node[]): number[] {
  let highest = Number.NEGATIVE_INFINITY;
  for (const each of siblings) highest = Math.max(highest, each.step?.meanLogprob ?? 0);
  const weights = siblings.map((each) => Math.exp((each.step?.meanLogprob ?? 0) - highest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
