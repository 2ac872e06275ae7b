// Selection, P0 appendix A eq. 1 and §4.2: which child a rollout follows. Pure functions of the statistics; the rollouts
// in flight count as visits whose result is not known yet (Ñ = N + O), which sends parallel rollouts apart. With nothing
// in flight Ñ = N, and WU-PUCT is PUCT.

import { mayGrow, meanValue, type Node } from '../../tree/node.ts';
import type { Prior } from '../prior.ts';
import type { Doomed } from '../program.ts';

export const selections = ['puct', 'uct'] as const;
type Selection = (typeof selections)[number];

export interface SelectionRule {
  readonly prior: Prior;
  readonly selection: Selection;
  /** c of PUCT or UCT. */
  readonly exploration: number;
  /** Q, where it is not the mean of what was backed up; among unvisited children the highest goes first then. */
  readonly value?: ((node: Node) => number) | undefined;
}

/** Rollouts that are only imagined (foresee), by node; empty when selecting for real. */
type Imagined = ReadonlyMap<Node, number>;

const nothingImagined: Imagined = new Map();

interface Surroundings {
  readonly imagined?: Imagined;
  readonly doomed?: Doomed | undefined;
}

/** Number of new rollouts that may begin at or below a node. */
type Openings = (node: Node) => number;

/**
 * The leaf that a new rollout takes up, or undefined while every leaf is terminal or being expanded. An expansion that was
 * cut is completed before anything is selected below it: siblings are compared when all of them are there.
 */
export function selectLeaf(root: Node, rule: SelectionRule, surroundings: Surroundings = {}): Node | undefined {
  const { imagined = nothingImagined, doomed } = surroundings;
  const openings = openingsOf(root, imagined, doomed);
  let node = root;
  if (openings(node) <= 0) return undefined;
  while (!mayGrow(node)) node = selectChild(node, rule, imagined, openings);
  return node;
}

/** Free leaves below a node, minus those that a prune rule would end: a branch that has no others is not entered. */
function openingsOf(root: Node, imagined: Imagined, doomed: Doomed | undefined): Openings {
  const taken = (node: Node) => imagined.get(node) ?? 0;
  if (doomed === undefined) return (node) => node.available - taken(node);
  const counts = new Map<Node, number>();
  countOpenings(root, doomed, counts);
  return (node) => (counts.get(node) ?? 0) - taken(node);
}

function countOpenings(node: Node, doomed: Doomed, counts: Map<Node, number>): number {
  if (node.available === 0) return 0;
  let open = mayGrow(node) && !doomed(node) ? 1 : 0;
  if (!mayGrow(node)) for (const child of node.children) open += countOpenings(child, doomed, counts);
  counts.set(node, open);
  return open;
}

function selectChild(parent: Node, rule: SelectionRule, imagined: Imagined, openings: Openings): Node {
  const { selection, exploration } = rule;
  const priors = selection === 'puct' ? siblingPriors(parent.children, rule.prior) : undefined;
  const parentVisits = parent.visits + parent.pending + (imagined.get(parent) ?? 0);
  let best: Node | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  let bestValue = Number.NEGATIVE_INFINITY;
  for (const [at, child] of parent.children.entries()) {
    if (openings(child) <= 0) continue;
    const visits = child.visits + child.pending + (imagined.get(child) ?? 0);
    // Q is 0 before the first visit: the search goes deep where something was found (docs/decisions/0002-mcts-constants.md).
    const value = rule.value?.(child) ?? meanValue(child) ?? 0;
    const score =
      priors === undefined
        ? uct(value, parentVisits, visits, exploration)
        : puct(value, priors[at]!, parentVisits, visits, exploration);
    if (score > bestScore || (score === bestScore && rule.value !== undefined && value > bestValue)) {
      best = child;
      bestScore = score;
      bestValue = value;
    }
  }
  return best!;
}

/** WU-PUCT, P0 §4.2: Q + c · P · √Ñ(s) / (1 + Ñ(s, a)). */
export function puct(value: number, prior: number, parentVisits: number, visits: number, exploration: number): number {
  return value + (exploration * prior * Math.sqrt(parentVisits)) / (1 + visits);
}

/** WU-UCT (Liu et al. 2018): Q + c · √(2 ln Ñ(s) / Ñ(s, a)); an unvisited child comes first. */
export function uct(value: number, parentVisits: number, visits: number, exploration: number): number {
  if (visits === 0) return Number.MAX_VALUE;
  return value + exploration * Math.sqrt((2 * Math.log(Math.max(1, parentVisits))) / visits);
}

/**
 * P(s, a) as P0 has it is the softmax over siblings of the mean log probability of their tokens. The share of draws that
 * came out as a step estimates the same and costs an engine nothing: identical siblings are one child with a count.
 */
export function siblingPriors(siblings: readonly Node[], prior: Prior): number[] {
  const weights =
    prior === 'logprob' ? likelihoods(siblings) : siblings.map(({ count }) => (prior === 'draws' ? count : 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function likelihoods(siblings: readonly Node[]): number[] {
  let highest = Number.NEGATIVE_INFINITY;
  for (const each of siblings) highest = Math.max(highest, each.step?.meanLogprob ?? 0);
  return siblings.map((each) => Math.exp((each.step?.meanLogprob ?? 0) - highest));
}
