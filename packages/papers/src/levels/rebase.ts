// REBASE, reward-balanced search (Wu, Sun, Li, Welleck, Yang: "Inference scaling laws", 2024, §3). No node is dropped by its rank: each
// level has as many draws as there are unfinished paths, and shares them among its nodes by the softmax of their rewards,
// B · exp(R / T) / Σ exp(R / T). A low balance temperature T gives most draws to the best step, a high one gives all steps equal
// shares. A path that ends takes its share out of the budget.

import { defineProgram, type Program } from '@coppice/core/program';
import { byKey, type Node } from '@coppice/core/tree';
import { type DrawnChild, drawnChildren, type LevelParent } from './level-parents.ts';
import { type LevelOptions, levelDefaults, levelKnobs, levelShape, type NextLevel } from './level-rule.ts';
import { growLevels } from './levels.ts';

interface RebaseOptions extends LevelOptions {
  /** All paths, which are the draws of the root. */
  readonly paths: number;
  /** T: lower values give more children to the best step. */
  readonly balance: number;
  /** Paths of the first round; 0 for a single round. */
  readonly firstPaths: number;
}

/** The balance temperature is the authors' value. */
const rebaseDefaults: RebaseOptions = { ...levelDefaults, paths: 16, balance: 0.1, firstPaths: 0 };

export const rebase = defineProgram({
  ...levelShape,
  name: 'rebase',
  summary:
    'reward-balanced search, level by level: every step gets children in proportion to the softmax of its reward',
  options: {
    ...levelKnobs,
    firstPaths: {
      default: 0,
      low: 0,
      high: 100_000,
      whole: true,
      internal: true,
      unit: 'paths',
      why: 'that rebase grows to their ends before the others begin, so that a search that is certain by then ends: P1 takes 16; 0 grows all side by side',
    },
  },
  growsAgain: ({ firstPaths }) => firstPaths > 0,
  create: ({ rollouts: paths, branching: _, ...size }, options) => createRebase({ ...size, paths, ...options }),
});

export function createRebase(given: Partial<RebaseOptions> = {}): Program {
  const options = { ...rebaseDefaults, ...given };
  const { paths, balance, firstPaths } = options;
  const next = (level: readonly LevelParent[], room: number) => balanced(level, room, balance);
  const likely = (level: readonly LevelParent[], room: number, missing: number) => {
    const { open, left } = ended(level, room);
    return likelyShares(open, left, balance, missing);
  };
  const isInRounds = firstPaths > 0 && firstPaths < paths;
  const rounds = isInRounds ? { rounds: [firstPaths, paths - firstPaths] } : {};
  return growLevels(rebase, { width: paths, rootDraws: paths, next, likely, ...rounds }, options);
}

/** A node stands for all identical draws that produced it: they finish together, and each has a share below it. */
function balanced(level: readonly LevelParent[], room: number, balance: number): NextLevel {
  const { finished, open, left } = ended(level, room);
  return { finished, going: shareOut(open, left, balance), room: left };
}

/** Splits a level into ended and open paths; `left` is the number of draws for the open ones. */
export function ended(level: readonly LevelParent[], room: number) {
  const drawn = level.flatMap(drawnChildren);
  const finished = drawn
    .filter(({ node }) => node.terminal)
    .flatMap(({ node, count }) => Array<Node>(count).fill(node));
  return { finished, open: drawn.filter(({ node }) => !node.terminal), left: Math.max(0, room - finished.length) };
}

/**
 * The paper rounds each share separately, so a level may exceed its budget or get no draws. Here shares are rounded down, and the
 * rest goes to the largest remainders: a level has exactly its budget.
 */
export function shareOut(drawn: readonly DrawnChild[], budget: number, balance: number): LevelParent[] {
  const weights = rewardWeights(drawn, balance);
  const shares = drawn.map(({ node }, at) => {
    const share = budget * weights[at]!;
    return { node, draws: Math.floor(share), remainder: share - Math.floor(share) };
  });
  let left = budget - shares.reduce((total, { draws }) => total + draws, 0);
  for (const share of [...shares].sort((a, b) => b.remainder - a.remainder || byKey(a.node, b.node))) {
    if (left <= 0) break;
    share.draws += 1;
    left -= 1;
  }
  return shares.filter(({ draws }) => draws > 0).map(({ node, draws }) => ({ node, draws }));
}

/**
 * Expected share of each arrived draw while others are missing, if the missing ones are as good on average:
 * rounded up, the largest first.
 */
export function likelyShares(
  drawn: readonly DrawnChild[],
  budget: number,
  balance: number,
  missing: number,
): LevelParent[] {
  const come = drawn.reduce((sum, { count }) => sum + count, 0);
  const weights = rewardWeights(drawn, balance);
  const shares = drawn.map(({ node }, at) => ({ node, share: (budget * weights[at]! * come) / (come + missing) }));
  shares.sort((a, b) => b.share - a.share || byKey(a.node, b.node));
  return shares.map(({ node, share }) => ({ node, draws: Math.ceil(share) }));
}

export function asDrawnChild(node: Node): DrawnChild {
  return { node, count: node.count };
}

/** W: softmax of rewards, in which a node counts once per draw; sums to 1. */
export function rewardWeights(drawn: readonly DrawnChild[], balance: number): number[] {
  const highest = Math.max(...drawn.map(rewardOf));
  const weights = drawn.map((each) => each.count * Math.exp((rewardOf(each) - highest) / balance));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function rewardOf({ node }: DrawnChild): number {
  return node.reward ?? 0;
}
