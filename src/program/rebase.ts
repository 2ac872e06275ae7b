// REBASE, reward-balanced search (Wu, Sun, Li, Welleck, Yang: "Inference scaling laws", 2024, §3). Nothing is thrown away by
// rank: each level has as many draws as paths are still to be finished, and they are shared out among its nodes by the softmax
// of their rewards, B · exp(R / T) / Σ exp(R / T). A low balance temperature T gives most of them to the best step, a high one
// gives every step as many. Paths that end take their share of the budget with them.

import { byKey } from '../tree/keys.ts';
import type { Node } from '../tree/node.ts';
import { defineProgram } from './definition.ts';
import { growLevels, type LevelOptions, levelDefaults, levelShape, type NextLevel, type Planting } from './levels.ts';
import type { Program } from './program.ts';

export interface RebaseOptions extends LevelOptions {
  /** Paths in all, and so draws of the root. */
  readonly paths: number;
  /** T. */
  readonly balance: number;
}

export const rebaseDefaults: RebaseOptions = { ...levelDefaults, paths: 16, balance: 0.1 };

export const rebase = defineProgram({
  ...levelShape,
  name: 'rebase',
  summary:
    'reward-balanced search, level by level: every step gets children in proportion to the softmax of its reward',
  options: {
    balance: {
      default: 0.1,
      low: 0.001,
      high: 1000,
      unit: 'reward',
      client: 'coppice',
      why: "balance temperature of rebase: the authors' value; lower gives more children to the best step",
    },
  },
  create: ({ rollouts: paths, branching: _, ...size }, { balance }) => createRebase({ ...size, paths, balance }),
});

export function createRebase(given: Partial<RebaseOptions> = {}): Program {
  const options = { ...rebaseDefaults, ...given };
  const { paths, balance } = options;
  const next = (level: readonly Planting[], room: number) => balanced(level, room, balance);
  return growLevels(rebase, { width: paths, rootDraws: paths, next }, options);
}

/** A node stands for all the identical draws that made it: they finish together, and each has its share below it. */
function balanced(level: readonly Planting[], room: number, balance: number): NextLevel {
  const children = level.flatMap(({ node }) => node.children);
  const finished = children.filter(({ terminal }) => terminal).flatMap((node) => Array<Node>(node.count).fill(node));
  const left = room - finished.length;
  const going = shareOut(
    children.filter(({ terminal }) => !terminal),
    left,
    balance,
  );
  return { finished, going, room: left };
}

/**
 * The paper rounds each share by itself, so that a level may have more draws than its budget, or none. Here the shares are rounded down
 * and what is left goes to the largest remainders: a level has exactly its budget.
 */
export function shareOut(nodes: readonly Node[], budget: number, balance: number): Planting[] {
  const highest = Math.max(...nodes.map(rewardOf));
  const weights = nodes.map((node) => node.count * Math.exp((rewardOf(node) - highest) / balance));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares = nodes.map((node, at) => {
    const share = (budget * weights[at]!) / sum;
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

function rewardOf({ reward }: Node): number {
  return reward ?? 0;
}
